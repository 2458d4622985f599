/** What the tarball holds, and what package.json promises about it. */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installed, installPackage, run } from './installed.ts'

/** Far above what it needs: catches tests, binaries and bundles that got in. */
const MAX_PACKED_BYTES = 1_000_000

let installed: Installed

beforeAll(async () => {
  installed = await installPackage()
}, 120_000)

afterAll(() => installed?.remove())

function read(file: string): string {
  return readFileSync(join(installed.home, file), 'utf8')
}

function filesLike(pattern: RegExp): string[] {
  return installed.files.filter(file => pattern.test(file))
}

it('holds code, declarations, maps, sources, the layout and papers, and nothing else', () => {
  const known = /^(dist\/.+\.(js|d\.ts)(\.map)?|src\/.+\.ts|package\.json|[A-Z]+(\.md)?)$/
  const native = /^native-layout\/((client|kernel|tools)\/.+|[\w-]+\.(json|md|h))$/
  const page = /^dist\/dashboard\/page\/[\w-]+\.(html|css|js)$/
  const kinds = [known, native, page]
  const unknown = installed.files.filter(file => !kinds.some(kind => kind.test(file)))
  expect(unknown).toEqual([])
  expect(filesLike(/^[A-Z]/).sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md'])
  expect(filesLike(/\b(tests?|bench|examples?)\b|\.node$/i)).toEqual([])
  console.log(`${installed.files.length} files, ${installed.packedBytes} bytes packed`)
  expect(installed.packedBytes).toBeLessThan(MAX_PACKED_BYTES)
})

it('holds each module four times over, of one build', () => {
  const modules = filesLike(/^src\/.+\.ts$/).map(file => file.replace(/^src\/(.+)\.ts$/, '$1'))
  const built = ['.d.ts', '.d.ts.map', '.js', '.js.map']
  const expected = modules.flatMap(module => built.map(ending => `dist/${module}${ending}`))
  // The dashboard's page is served as it stands in the sources.
  const page = filesLike(/^dist\/dashboard\/page\//)
  expect(page).toContain('dist/dashboard/page/page.html')
  expect(filesLike(/^dist\//).sort()).toEqual([...expected, ...page].sort())
})

it('has maps that lead from every built file to a source in the package', () => {
  for (const file of filesLike(/^dist\/(?!dashboard\/page).+\.(js|d\.ts)$/)) {
    const [, map = ''] = read(file).match(/^\/\/# sourceMappingURL=(.+)$/m) ?? []
    const path = join(dirname(file), map)
    const { sources, sourceRoot } = JSON.parse(read(path)) as {
      sources: string[]
      sourceRoot?: string
    }
    const leadTo = sources.map(source => normalize(join(dirname(path), sourceRoot ?? '', source)))
    expect(leadTo).toEqual([file.replace(/^dist\/(.+)\.(js|d\.ts)$/, 'src/$1.ts')])
    expect(installed.files).toContain(leadTo[0])
  }
})

it('publishes the layout as data, with what describes it', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string> }
  expect(exports['./layout']).toBe('./native-layout/layout.json')
  expect(exports['./layout.h']).toBe('./native-layout/busbar_layout.h')
  for (const name of ['layout.json', 'layout.md', 'busbar_layout.h', 'CHANGES.md']) {
    expect(installed.files).toContain(`native-layout/${name}`)
  }
  // What native-layout/ is made of needs the repository to be of use.
  expect(filesLike(/described/)).toEqual([])
  const layout = JSON.parse(read('native-layout/layout.json')) as { version: number }
  expect(read('native-layout/busbar_layout.h')).toMatch(
    `#define BUSBAR_LAYOUT_VERSION ${layout.version} `,
  )
})

it('needs nothing but Node, and runs no script when it is installed', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, unknown>
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest[kind]).toBeUndefined()
  }
  expect(manifest.bin).toEqual({
    busbar: 'dist/top/main.js',
    'busbar-dump': 'native-layout/tools/busbar-dump.mjs',
  })
  expect(Object.keys(manifest.scripts as object)).not.toContain('install')
  expect(Object.keys(manifest.scripts as object).filter(name => /install/.test(name))).toEqual([])
  expect(manifest.engines).toEqual({ node: '^20.19 || >=22.12' })
  expect(manifest.license).toBe('MIT')
  expect(manifest.type).toBe('module')
  for (const file of filesLike(/\.js$/)) {
    const imports = [...read(file).matchAll(/(?<!['.])\b(?:from|import)\s*\(?\s*'([^']+)'/g)]
    for (const [, specifier] of imports) expect(specifier).toMatch(/^(\.\.?\/.+\.js|node:.+|#.+)$/)
  }
})

it('declares exactly the names that it has at run time', async () => {
  const { stdout } = await run(process.execPath, installed.folder, ['names.mjs'])
  expect(declaredNames(join(installed.home, 'dist/index.d.ts'))).toEqual(JSON.parse(stdout))
})

/** The values, not the types, that a declaration file exports. */
function declaredNames(file: string): string[] {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is not a module`)
  const values = checker.getExportsOfModule(module).filter(symbol => {
    const typeOnly = symbol.declarations?.some(ts.isTypeOnlyExportDeclaration)
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return !typeOnly && (target.flags & ts.SymbolFlags.Value) !== 0
  })
  return values.map(symbol => symbol.name).sort()
}
