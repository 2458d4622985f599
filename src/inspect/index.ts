/** What `native-layout/tools/busbar-dump.mjs` is made of. No part of the package's interface. */
export { findRegions, readRegion, UnreadableError } from './file.ts'
export { candidatesText, textOf } from './text.ts'
export { viewOf } from './view.ts'
