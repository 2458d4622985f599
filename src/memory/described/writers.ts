/** What many words have in common: class, writers and the version since which they are there. */
export const FIRST = 1

/** Written by the region's maker, before MAGIC. */
export const MADE = { class: 'fixed', writers: 'the maker of the region', since: FIRST } as const

/** Written by the maker of a breaker or a control, before the directory names its definition. */
export const DEFINED = {
  class: 'reused',
  writers: 'the maker of the breaker or control',
  since: FIRST,
} as const

export const ANYONE = { class: 'shared', writers: 'any thread', since: FIRST } as const

export const OWNER = { class: 'own', writers: 'the owner of the slot', since: FIRST } as const

export const COUNTED = {
  class: 'stat',
  writers: 'the owner of the slot; in shard 0 any thread',
  since: FIRST,
} as const
