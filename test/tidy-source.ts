/** Reads the repository's files as the compiler does, for test/tidy.test.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Source {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  readonly lines: readonly string[]
  readonly tree: ts.SourceFile
}

/** Every file with code in the folders, at any depth. */
export function readSources(...folders: string[]): Source[] {
  return folders
    .flatMap(filesBelow)
    .filter(path => /\.[cm]?[jt]s$/.test(path))
    .map(path => {
      const text = readFileSync(`${ROOT}/${path}`, 'utf8')
      const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
      return { path, lines: text.replace(/\n$/, '').split('\n'), tree }
    })
}

function filesBelow(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesBelow(path)
  })
}

/** Where a node stands, as a click in a terminal opens it. */
export function placeOf({ path, tree }: Source, node: ts.Node): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}

export function nodesOf(source: Source): ts.Node[] {
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source.tree, visit)
  return nodes
}

export interface Import {
  readonly node: ts.Node
  /** The file of this repository that is imported, or the specifier as it stands. */
  readonly target: string
  readonly names: readonly string[]
  readonly typeOnly: boolean
}

export function importsOf(source: Source): Import[] {
  return source.tree.statements.flatMap(node => {
    if (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node))) return []
    if (node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier)) return []
    const specifier = node.moduleSpecifier.text
    const target = specifier.startsWith('.')
      ? new URL(specifier, `file:///${source.path}`).pathname.slice(1)
      : specifier
    const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined
    const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : []
    const names = elements.filter(element => !element.isTypeOnly).map(element => element.name.text)
    const typeOnly = ts.isImportDeclaration(node)
      ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
        (elements.length > 0 && names.length === 0)
      : node.isTypeOnly
    return [{ node, target, names, typeOnly }]
  })
}

/** The function or method that a node is in: not the closures on the way. */
export function enclosingFunction(node: ts.Node): ts.Node | undefined {
  return ts.findAncestor(node, above => isNamedFunction(above))
}

export function isNamedFunction(node: ts.Node): boolean {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isAccessor(node)
  )
}

/** How many lines a node takes, without the comment above it. */
export function linesOf({ tree }: Source, node: ts.Node): number {
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  return lineOf(node.end) - lineOf(node.getStart()) + 1
}

/** A comment `// ATOMIC tag` with the lines that belong to it. */
export interface AtomicComment {
  readonly path: string
  /** Counted from 1. */
  readonly line: number
  readonly tag: string
  readonly keys: readonly string[]
  readonly text: string
  readonly length: number
}

export function atomicCommentsOf({ path, lines }: Source): AtomicComment[] {
  return lines.flatMap((first, index) => {
    const tag = first.match(/^\s*\/\/ ATOMIC (.*)$/)?.[1]
    if (tag === undefined) return []
    const end = lines.findIndex((line, at) => at > index && !/^\s*\/\/ {3}/.test(line))
    const body = lines.slice(index + 1, end).map(line => line.replace(/^\s*\/\/ {3}/, ''))
    const keys = body.flatMap(line => line.match(/^(\S[^:]*): /)?.[1] ?? [])
    return [{ path, line: index + 1, tag, keys, text: body.join('\n'), length: body.length + 1 }]
  })
}
