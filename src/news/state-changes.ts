/** The channel of `node:diagnostics_channel` on which every thread's news are published. */
import { channel } from 'node:diagnostics_channel'

/** Messages are StateChange. Nothing is published, nor read, while nobody subscribes. */
export const stateChanges = channel('busbar:stateChange')
