/** The whole description. */
import { CONTROL_STRUCTS } from './controls.ts'
import { DIRECTORY_STRUCTS } from './directory.ts'
import { HEADER_STRUCT } from './header.ts'
import { JOURNAL_STRUCTS } from './journal.ts'
import { OPTIONS_STRUCT } from './options.ts'
import { RECORD_STRUCTS } from './record.ts'
import { SHARD_STRUCTS } from './shard.ts'
import type { Struct } from './types.ts'
import { WINDOW_STRUCTS } from './window.ts'

export { CONSTANTS, ENUMERATIONS } from './constants.ts'
export { PACKINGS } from './packings.ts'
export { CLASSES, RULES } from './rules.ts'
export { CONTROL, FUNCTIONS, RECORD, REGION, type Shape } from './shapes.ts'

export const STRUCTS: readonly Struct[] = [
  HEADER_STRUCT,
  OPTIONS_STRUCT,
  ...JOURNAL_STRUCTS,
  ...DIRECTORY_STRUCTS,
  ...RECORD_STRUCTS,
  ...WINDOW_STRUCTS,
  ...SHARD_STRUCTS,
  ...CONTROL_STRUCTS,
]
