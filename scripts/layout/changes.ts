/** Holds the layout against the fingerprint that native-layout/CHANGES.md has for its version. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf, type LayoutDescription } from './json.ts'

export const CHANGES = 'native-layout/CHANGES.md'

/** What is wrong with the layout's version, and what to do; undefined when nothing is. */
export function versionProblem(root: string, layout: LayoutDescription): string | undefined {
  const recorded = fingerprintsIn(readFileSync(join(root, CHANGES), 'utf8'))
  const { version } = layout
  const fingerprint = fingerprintOf(layout)
  const known = recorded.get(version)
  if (known === fingerprint) return undefined
  if (known === undefined) {
    return (
      `${CHANGES} has no entry for layout version ${version}. Write one that says what changed:\n` +
      `## Version ${version}\n\nFingerprint: \`${fingerprint}\``
    )
  }
  return (
    `The layout is not what version ${version} was: its fingerprint is ${fingerprint}, ${CHANGES} ` +
    `says ${known}. Take the change back; or raise LAYOUT_VERSION in src/memory/layout.ts, give ` +
    'the changed words their `since`, run `npm run layout`, and write an entry for the new ' +
    `version in ${CHANGES}.`
  )
}

/** The fingerprint of each version that has an entry. */
export function fingerprintsIn(changes: string): Map<number, string> {
  const found = changes.matchAll(/^## Version (\d+)\n+Fingerprint: `([0-9a-f]{16})`/gm)
  return new Map([...found].map(([, version, fingerprint = '']) => [Number(version), fingerprint]))
}
