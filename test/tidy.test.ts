/** The rules of style that a program can check. Each failure names the places that break one. */
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import {
  atomicCommentsOf,
  enclosingFunction,
  importsOf,
  isNamedFunction,
  linesOf,
  nodesOf,
  placeOf,
  readSources,
  type Source,
} from './tidy-source.ts'

const DOOR = 'src/memory/atomics.ts'
const MAX_FILE_LINES = 300
const MAX_FUNCTION_LINES = 50
const MAX_COLUMNS = 100
const MAX_COMMENT_LINES = 8
/** How far above an atomic operation its comment may stand. */
const MAX_COMMENT_DISTANCE = 20
const COMMENT_KEYS = ['observes', 'publishes', 'loses to', 'dies here', 'wraps']
/** What the door offers for words that other threads may write. */
const WRITES = ['store', 'add', 'add64', 'compareExchange', 'compareExchange64']

/** What runs in browsers, not in threads of the process. */
const page = readSources('src/dashboard/page')
const src = readSources('src').filter(({ path }) => !page.some(other => other.path === path))
const code = [
  ...src,
  ...page,
  ...readSources('bench', 'examples', 'native-layout/tools', 'scripts', 'test'),
]

/** The places in `sources` of the nodes that `breaks` a rule. */
function places(sources: Source[], breaks: (node: ts.Node, source: Source) => boolean): string[] {
  return sources.flatMap(source =>
    nodesOf(source)
      .filter(node => breaks(node, source))
      .map(node => placeOf(source, node)),
  )
}

function linesLike(sources: Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

function isNamed(node: ts.Node, ...names: string[]): boolean {
  return ts.isIdentifier(node) && names.includes(node.text)
}

/** A call of one of `names`, as a function or as a method of anything. */
function isCallOf(node: ts.Node, names: readonly string[]): node is ts.CallExpression {
  return ts.isCallExpression(node) && isNamed(node.expression, ...names)
}

describe('sizes', () => {
  it(`files have at most ${MAX_FILE_LINES} lines`, () => {
    const long = code.filter(({ lines }) => lines.length > MAX_FILE_LINES)
    expect(long.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([])
  })

  it(`lines in src have at most ${MAX_COLUMNS} columns`, () => {
    expect(linesLike(src, new RegExp(`^.{${MAX_COLUMNS + 1}}`))).toEqual([])
  })

  it(`functions in src have at most ${MAX_FUNCTION_LINES} lines`, () => {
    const isLong = (node: ts.Node, source: Source) =>
      isNamedFunction(node) && linesOf(source, node) > MAX_FUNCTION_LINES
    expect(places(src, isLong)).toEqual([])
  })
})

describe('language', () => {
  it('src says neither any, nor !, nor enum, nor export default', () => {
    const banned = (node: ts.Node): boolean =>
      node.kind === ts.SyntaxKind.AnyKeyword ||
      node.kind === ts.SyntaxKind.DefaultKeyword ||
      ts.isNonNullExpression(node) ||
      ts.isEnumDeclaration(node) ||
      ts.isExportAssignment(node)
    const inSwitch = (node: ts.Node) => ts.isDefaultClause(node.parent)
    expect(places(src, node => banned(node) && !inSwitch(node))).toEqual([])
  })

  it('nothing is left to be done, and no test is left out', () => {
    expect(linesLike(code, /\b(?:TO(?:DO)|FIX(?:ME)|XX(?:X))\b/)).toEqual([])
    const modifier = /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/
    expect(linesLike(code, modifier)).toEqual([])
  })
})

describe('shared memory', () => {
  it('only the door names Atomics or makes views of shared memory', () => {
    const views = ['Int32Array', 'BigInt64Array', 'BigUint64Array', 'Float64Array', 'DataView']
    const outside = src.filter(({ path }) => path !== DOOR)
    expect(places(outside, node => isNamed(node, 'Atomics'))).toEqual([])
    expect(
      places(outside, node => ts.isNewExpression(node) && isNamed(node.expression, ...views)),
    ).toEqual([])
    const direct = outside.flatMap(source =>
      importsOf(source)
        .filter(({ target, typeOnly }) => target === DOOR && !typeOnly)
        .map(({ node }) => placeOf(source, node)),
    )
    // Else a test that swaps #atomics would not reach them.
    expect(direct).toEqual([])
  })

  it('the async face uses no atomics', () => {
    const faces = src.filter(({ path }) => /^src\/(execute|settlement|index)\.ts$/.test(path))
    expect(faces).toHaveLength(3)
    const targets = faces.flatMap(source => importsOf(source).map(({ target }) => target))
    expect(targets).not.toContain('#atomics')
  })

  it('no numeric literal indexes memory', () => {
    const reads = ['load', 'load64', 'loadDouble', 'peek', 'readOwn']
    const fixed = ['readFixed', 'readFixedDouble', 'readReused', 'readReusedDouble']
    const door = [...WRITES, ...reads, ...fixed]
    const literal = (node: ts.Node): boolean => {
      const [, index] = isCallOf(node, [...door, 'writeFixed']) ? node.arguments : []
      return index !== undefined && ts.isNumericLiteral(index)
    }
    expect(places(src, literal)).toEqual([])
  })

  it('time is read by the clock alone, and timers stand in few files', () => {
    const wallClock = (node: ts.Node) => isNamed(node, 'Date')
    // A `Retry-After` may be a date, and opossum's states and caches know dates.
    const wallClocks = ['src/retry/retry-after.ts', 'src/opossum/wall-clock.ts']
    const timeless = src.filter(({ path }) => !wallClocks.includes(path))
    expect(places(timeless, wallClock)).toEqual([])
    const outside = src.filter(({ path }) => path !== 'src/time/monotonic.ts')
    expect(places(outside, node => isNamed(node, 'performance', 'hrtime'))).toEqual([])
    const timers = (node: ts.Node) => isNamed(node, 'setTimeout', 'setInterval', 'setImmediate')
    // Calls with a time-out, waits for a place and between retries, news, beats of threads,
    // opossum's timed events, and what is made for people who look.
    const timing =
      /^src\/(execute\.ts|(overload|retry|news|opossum|dashboard|top)\/|threads\/presence\.ts)/
    const timed = src.filter(({ path }) => !timing.test(path))
    expect(places(timed, timers)).toEqual([])
  })
})

describe('comments on atomic operations', () => {
  const comments = src.flatMap(atomicCommentsOf)
  const tags = comments.map(({ tag }) => tag)
  const breaking = (breaks: (comment: (typeof comments)[number]) => boolean): string[] =>
    comments.filter(breaks).map(({ path, line, tag }) => `${path}:${line} ${tag}`)

  it('have tags like file.verb, each once', () => {
    expect(comments.length).toBeGreaterThan(20)
    expect(breaking(({ tag }) => !/^[a-z]+\.[a-zA-Z]+$/.test(tag))).toEqual([])
    expect(breaking(({ tag }) => tags.indexOf(tag) !== tags.lastIndexOf(tag))).toEqual([])
  })

  it(`have at most ${MAX_COMMENT_LINES} lines`, () => {
    expect(breaking(({ length }) => length > MAX_COMMENT_LINES)).toEqual([])
  })

  it(`say some of ${COMMENT_KEYS.join(', ')}, in that order`, () => {
    const inOrder = (keys: readonly string[]) =>
      keys.length > 0 && keys.join() === COMMENT_KEYS.filter(key => keys.includes(key)).join()
    expect(breaking(({ keys }) => !inOrder(keys))).toEqual([])
  })

  it('refer to tags that there are', () => {
    const dangling = comments.flatMap(({ path, line, text }) =>
      [...text.matchAll(/\b[a-z]+\.[a-z][a-zA-Z]+\b/g)]
        .map(([word]) => word)
        .filter(word => !word.endsWith('.ts') && !tags.includes(word))
        .map(word => `${path}:${line} ${word}`),
    )
    expect(dangling).toEqual([])
  })

  it(`stand in the function and within ${MAX_COMMENT_DISTANCE} lines above each write`, () => {
    const isBare = (node: ts.Node, source: Source): boolean => {
      if (!isCallOf(node, WRITES)) return false
      const lineOf = (at: ts.Node) =>
        source.tree.getLineAndCharacterOfPosition(at.getStart()).line + 1
      const scope = enclosingFunction(node)
      const first = Math.max(scope ? lineOf(scope) : 1, lineOf(node) - MAX_COMMENT_DISTANCE)
      return !atomicCommentsOf(source).some(({ line }) => line >= first && line <= lineOf(node))
    }
    expect(
      places(
        src.filter(({ path }) => path !== DOOR),
        isBare,
      ),
    ).toEqual([])
  })
})

describe('dependencies', () => {
  const BASE = ['errors', 'memory', 'options', 'time']
  const PROTOCOL = [...BASE, 'protocol']
  /** What each part of src may import, besides itself. */
  const ALLOWED: Record<string, readonly string[]> = {
    errors: BASE,
    memory: BASE,
    options: BASE,
    time: BASE,
    protocol: BASE,
    kernel: PROTOCOL,
    news: PROTOCOL,
    threads: [...PROTOCOL, 'kernel', 'news'],
    channels: BASE,
    refusals: [...PROTOCOL, 'channels'],
    settlement: [...PROTOCOL, 'refusals'],
    tracing: [...PROTOCOL, 'channels', 'settlement'],
    execute: [...PROTOCOL, 'settlement', 'tracing'],
    breaker: [...PROTOCOL, 'news', 'settlement', 'execute'],
    overload: [...PROTOCOL, 'settlement', 'execute', 'threads'],
    retry: [...BASE, 'settlement'],
    pipeline: [
      ...[...PROTOCOL, 'retry', 'settlement', 'tracing', 'execute'],
      ...['breaker', 'overload'],
    ],
    cockatiel: [...PROTOCOL, 'news', 'breaker'],
    breakers: [
      ...[...PROTOCOL, 'channels', 'news', 'refusals', 'settlement', 'kernel', 'threads'],
      ...['breaker', 'warm'],
    ],
    keyed: [...PROTOCOL, 'breaker', 'breakers'],
    adapters: [
      'tracing',
      ...[...PROTOCOL, 'settlement', 'retry', 'breaker', 'keyed', 'registry', 'make'],
      ...['process', 'health', 'telemetry'],
    ],
    opossum: [
      ...[...PROTOCOL, 'news', 'settlement', 'execute', 'breaker'],
      ...['overload', 'registry', 'process'],
    ],
    dump: BASE,
    warm: PROTOCOL,
    registry: [
      ...[...PROTOCOL, 'channels', 'news', 'refusals', 'settlement', 'kernel', 'threads'],
      ...['breaker', 'breakers', 'overload', 'pipeline', 'keyed', 'dump', 'warm'],
    ],
    make: [...BASE, 'threads', 'registry', 'warm'],
    process: [...BASE, 'registry', 'make', 'warm'],
    health: [...PROTOCOL, 'registry'],
    telemetry: [...PROTOCOL, 'settlement', 'news', 'breaker', 'registry'],
    index: [
      ...[...PROTOCOL, 'news', 'threads', 'channels', 'telemetry'],
      ...['execute', 'breaker', 'overload', 'retry', 'pipeline'],
      ...['keyed', 'registry', 'make', 'process', 'health'],
    ],
    dashboard: [...PROTOCOL, 'breaker', 'registry'],
    // A program of its own, which shares with the dashboard how its stream is written.
    top: ['dashboard', 'inspect', 'memory'],
    // Programs of their own: nothing that users import may reach them.
    verify: ['memory', 'time'],
    inspect: [...PROTOCOL, 'verify'],
  }
  const partOf = (path: string) => path.match(/^src\/([a-z]+)/)?.[1] ?? path
  const edges = src.flatMap(source =>
    importsOf(source).map(found => ({ from: source.path, ...found })),
  )

  it('go one way: nothing in the protocol knows breakers, registries or threads', () => {
    const wrong = edges.filter(({ from, target }) => {
      if (target === '#atomics' || target.startsWith('node:')) return false
      const part = partOf(from)
      return partOf(target) !== part && !ALLOWED[part]?.includes(partOf(target))
    })
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([])
  })

  it('have no cycles but those of types', () => {
    const cycles: string[] = []
    const done = new Set<string>()
    const follow = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail, path].join(' -> '))
      if (trail.includes(path) || done.has(path)) return
      for (const { from, target, typeOnly } of edges) {
        if (from === path && !typeOnly) follow(target, [...trail, path])
      }
      done.add(path)
    }
    for (const { path } of src) follow(path, [])
    expect(cycles).toEqual([])
  })

  it('are files of src and parts of Node, nothing else', () => {
    const files = new Set(src.map(({ path }) => path))
    const foreign = edges.filter(
      ({ target }) => !(files.has(target) || target === '#atomics' || target.startsWith('node:')),
    )
    expect(foreign.map(({ from, target }) => `${from} -> ${target}`)).toEqual([])
  })
})
