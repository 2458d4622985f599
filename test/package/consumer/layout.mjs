// Prints where the layout and its C header are, and what is read from them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import layout from 'busbar/layout' with { type: 'json' }

const require = createRequire(import.meta.url)
const header = fileURLToPath(import.meta.resolve('busbar/layout.h'))
const inPackage = path => path.replaceAll('\\', '/').split('/node_modules/busbar/')[1]
const [, magic] = readFileSync(header, 'utf8').match(/^#define BUSBAR_MAGIC (\w+)/m)

console.log(
  JSON.stringify({
    version: layout.version,
    same: JSON.stringify(require('busbar/layout')) === JSON.stringify(layout),
    header: inPackage(header),
    required: inPackage(require.resolve('busbar/layout.h')),
    magic: Number(magic),
  }),
)
