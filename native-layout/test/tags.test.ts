/** Rules of style that a program can check in C. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { atomicCommentsOf, readSources } from '../../test/tidy-source.ts'
import { LAYOUT, nativeFiles } from './build.ts'

const MAX_LINES = 300
const MAX_COLUMNS = 100
/** As in src, and what a weaker order may rely on. */
const KEYS = ['observes', 'publishes', 'loses to', 'dies here', 'wraps', 'order']

const client = nativeFiles()
  .filter(path => !path.startsWith(`${LAYOUT}test/`) && !path.endsWith('busbar_layout.h'))
  .map(path => ({ path: path.slice(LAYOUT.length), text: readFileSync(path, 'utf8') }))

const comments = client.flatMap(({ path, text }) =>
  [...text.matchAll(/\/\* ATOMIC (\S+)\n(.*?)\*\//gs)].map(([, tag = '', body = '']) => ({
    path,
    tag,
    keys: [...body.matchAll(/^ *\* {3}([a-z][a-z ]*):/gm)].map(([, key]) => key),
    text: body,
  })),
)

const tagsOfSrc = new Set(
  readSources('src')
    .flatMap(atomicCommentsOf)
    .map(({ tag }) => tag),
)

it('each tag of an atomic operation is one of src, and stands once', () => {
  expect(comments.length).toBeGreaterThan(25)
  expect(comments.filter(({ tag }) => !tagsOfSrc.has(tag))).toEqual([])
  const tags = comments.map(({ tag }) => tag)
  expect(tags.filter((tag, index) => tags.indexOf(tag) !== index)).toEqual([])
})

it('the tags that comments refer to exist in src', () => {
  const files = client.map(({ path }) => path.replace(/^.*\//, ''))
  const named = comments.flatMap(({ path, text }) =>
    [...text.matchAll(/\b[a-z]+\.[a-z][a-zA-Z]+\b/g)].map(([word]) => `${path}: ${word}`),
  )
  const dangling = named.filter(named => {
    const word = named.replace(/^.*: /, '')
    return !tagsOfSrc.has(word) && !files.includes(word) && !word.endsWith('.ts')
  })
  expect(dangling).toEqual([])
})

it(`comments on atomic operations say some of ${KEYS.join(', ')}, in that order`, () => {
  const wrong = comments.filter(
    ({ keys }) => keys.length === 0 || keys.join() !== KEYS.filter(k => keys.includes(k)).join(),
  )
  expect(wrong.map(({ path, tag, keys }) => `${path} ${tag}: ${keys}`)).toEqual([])
})

it('only client/atomic.h names the atomic builtins', () => {
  const code = client.filter(({ path }) => path !== 'client/atomic.h')
  const tests = nativeFiles().filter(path => path.startsWith(`${LAYOUT}test/`))
  const others = tests.map(path => ({ path, text: readFileSync(path, 'utf8') }))
  const naming = [...code, ...others].filter(({ text }) =>
    /__(?:atomic|sync)_\w+\s*\(|_Atomic|stdatomic/.test(text),
  )
  expect(naming.map(({ path }) => path)).toEqual([])
})

it(`files have at most ${MAX_LINES} lines of at most ${MAX_COLUMNS} columns`, () => {
  const tests = `${LAYOUT}test/`
  const scripts = readdirSync(tests).filter(name => /\.m?[jt]s$/.test(name))
  const paths = [...nativeFiles(), ...scripts.map(name => tests + name)]
  const wrong = paths
    .filter(path => !path.endsWith('busbar_layout.h'))
    .filter(path => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      return lines.length > MAX_LINES || lines.some(line => line.length > MAX_COLUMNS)
    })
  expect(wrong).toEqual([])
})
