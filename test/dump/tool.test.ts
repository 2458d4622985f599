/** `busbar-dump` as a user runs it: what it prints, and what it says of files that are no regions. */
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { CONTROL } from '../../src/memory/controls.ts'
import { LINE_WORDS, TALLY } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { tallyOf } from '../../src/protocol/cell.ts'
import { ControlDirectory } from '../../src/protocol/control.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { makeFolder, makeStates, runTool } from './support.ts'

const NOBODY = { thread: 0, parent: 0 }

/** A file with the region of `makeStates`, by the same name wherever it stands. */
function dumpStates(): string {
  const file = join(makeFolder(), 'region')
  makeStates().dump(file)
  return file
}

/** What differs from run to run: the file's place and the region's id. */
function normal(text: string, file: string): string {
  return text.replaceAll(file, 'region').replace(/id [\da-f]+-[\da-f]+/, 'id X-Y')
}

it('prints every state and window like this', async () => {
  const file = dumpStates()
  const { code, stdout, stderr } = await runTool(file)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await expect(normal(stdout, file)).toMatchFileSnapshot('states.txt')
})

it('prints the same as JSON', async () => {
  const { code, stdout } = await runTool('--json', dumpStates())
  expect(code).toBe(0)
  const view = JSON.parse(stdout)
  expect(view).toMatchObject({ layoutVersion: 1, maxThreads: 3, clock: 'manual', findings: [] })
  expect(view.slots).toHaveLength(3)
  expect(Object.fromEntries(view.breakers.map((b: NamedState) => [b.name, b.state]))).toEqual({
    closed: 'closed',
    open: 'open',
    'half-open': 'half-open',
    forced: 'forced-open',
    'forced for ever': 'forced-open',
    disabled: 'disabled',
    'metrics only': 'metrics-only',
  })
  expect(view.breakers[4].openUntil).toBe('for ever')
  expect(view.history).toHaveLength(7)
  expect(view.history[3]).toMatchObject({
    entry: 3,
    breaker: 'forced',
    from: 'closed',
    to: 'forced-open',
    generation: 1,
    at: 7000,
    reason: 'a move, until Ümit is done',
    said: true,
    thread: expect.any(Number),
    counts: { calls: 0 },
  })
  expect(view.breakers[2].transitions).toEqual([
    { from: 'closed', to: 'open', count: 1 },
    { from: 'open', to: 'half-open', count: 1 },
  ])
  expect(view.breakers[0].durations).toMatchObject({ count: 22, sumMs: 258 })
  expect(view).toMatchObject({ exporterLeaseUntil: 37_000, journalEntries: 7 })
  expect(view.controls.map(({ kind, name }: NamedControl) => `${kind} ${name}`)).toEqual([
    'throttle backend',
    'bulkhead pool',
    'retry budget retries',
    'host group hosts',
  ])
  expect(view.controls[1].places).toEqual([0, 1, 2].map(place => ({ place, thread: threadId })))
  expect(view.controls[3].hosts[1]).toMatchObject({ name: '10.0.0.2', ejectedUntil: 7500 })
})

interface NamedControl {
  readonly kind: string
  readonly name: string
}

it('prints calls that hang, timeouts that were late, and calls that wait', async () => {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxControls: 1 })
  const slow = { slowCallDurationThresholdMs: 160, countHangingCalls: true }
  const breaker = registry.breaker('b', slow)
  for (let call = 0; call < 3; call++) breaker.tryAcquire()
  registry.bulkhead('pool', { maxConcurrentCalls: 1, maxQueuedCalls: 4 })
  registry.advance(1000)
  const { memory } = attachRegion(registry.handle)
  const [cell] = new Directory(attachRegion(registry.handle), NOBODY).cells()
  const [pool] = new ControlDirectory(attachRegion(registry.handle), NOBODY).controlsAfter(0)
  if (cell === undefined || pool === undefined) throw new Error('both were made')
  memory.longs[tallyOf(cell, 1) + TALLY.LOCAL_STALLS] = 2n
  memory[pool.record + CONTROL.WAITING] = 1
  memory.set([threadId + 1, 601, 8, 0], pool.record + pool.shape.queue)
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const { stdout } = await runTool(file)
  expect(stdout).toMatch(/^ {2}hanging +3 calls, counted as slow$/m)
  expect(stdout).toMatch(/^ {2}2 timeouts late because the thread's own loop was blocked$/m)
  const waiting = `2 calls: 1 of thread ${threadId}, 1 of thread 7, the longest for 400 ms`
  expect(stdout).toContain(waiting)
  const { code, stdout: one } = await runTool(file, '--breaker', 'b')
  expect(code).toBe(1)
  expect(one).not.toContain('bulkhead "pool"\n')
})

interface NamedState {
  readonly name: string
  readonly state: string
}

it('prints one breaker', async () => {
  const file = dumpStates()
  const { code, stdout } = await runTool(file, '--breaker', 'open')
  expect(code).toBe(0)
  expect(stdout.match(/^breaker ".*"$/gm)).toEqual(['breaker "open"'])
  const missing = await runTool(file, '--breaker', 'shut')
  expect(missing).toMatchObject({ code: 2, stdout: '' })
  expect(missing.stderr).toMatch(/^busbar-dump: no breaker is called "shut"; there are: "closed", /)
})

it('prints as many transitions as it is told to, the last ones', async () => {
  const registry = createRegistry({ clock: 'manual', maxThreads: 1, maxBreakers: 2 })
  const breakers = [registry.breaker('a'), registry.breaker('b')]
  for (let turn = 0; turn < 30; turn++) for (const breaker of breakers) breaker.disable()
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const linesOf = async (...args: string[]): Promise<string[]> => {
    const { code, stdout } = await runTool(file, ...args)
    expect(code).toBe(0)
    return stdout.match(/^ +\d+ {2}[\d,.]+ ms {2}"[ab]" .* by hand$/gm) ?? []
  }
  expect(await linesOf()).toHaveLength(20)
  expect(await linesOf('--history', '3')).toEqual([
    expect.stringMatching(/^ +57 .* "b" .* 29 /),
    expect.stringMatching(/^ +58 .* "a" .* 30 /),
    expect.stringMatching(/^ +59 .* "b" .* 30 /),
  ])
  expect(await linesOf('--history', '0')).toEqual([])
  expect(await linesOf('--history', '99')).toHaveLength(60)
  expect(await linesOf('--history', '99', '--breaker', 'a')).toHaveLength(30)
})

it('says how long it was that an event loop last turned', async () => {
  const registry = createRegistry({ keeper: false, maxThreads: 2, maxBreakers: 2 })
  registry.breaker('b').open()
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const bytes = readFileSync(file)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  // A beat of the other slot, which nobody has, is the latest time in the file.
  const slots = attachRegion(registry.handle).shape.presence
  words[slots + LINE_WORDS] = 100
  words[slots + 2 * LINE_WORDS] = 220
  writeFileSync(file, bytes)
  const { stdout } = await runTool(file)
  expect(stdout).toMatch(/^ {2}1 +live +\d.* 12,000 ms$/m)
})

it('ends with 1 and says what is wrong and how sure that is', async () => {
  const file = dumpStates()
  const bytes = readFileSync(file)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  words[35] = 3 // DAMAGED
  words[34] = 0 // SLOTS_USED, of which this thread has one
  writeFileSync(file, bytes)
  const { code, stdout, stderr } = await runTool(file)
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^ {2}certain {2}header, DAMAGED is 3, not in 0 \.\. 0$/m)
  expect(stdout).toMatch(/^ {2}perhaps {2}slot 1, THREAD is 0x[\da-f]+, beyond SLOTS_USED 0$/m)
  expect(stdout).toMatch(/copy\n {2}that was made while threads worked/)
})

it('says that the present is not known where the clock is not manual', async () => {
  const registry = createRegistry({ keeper: false, maxThreads: 2, maxBreakers: 2 })
  registry.breaker('b').open()
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const { code, stdout } = await runTool(file)
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^ {2}clock {2,}monotonic; it was [\d.,]+ ms or later: the latest time in/m,
  )
  expect(stdout).toMatch(/No time could be held against the present/)
  expect(stdout).not.toMatch(/ ago$| in [\d.,]+ ms$/m)
})

it('lets no name or reason write to the terminal as it likes', async () => {
  const registry = createRegistry({ clock: 'manual', maxThreads: 1, maxBreakers: 1 })
  registry.breaker('a\u001b[31m\n\u202eb').open({ reason: 'c\u009bd\r' })
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const { stdout } = await runTool(file)
  expect(stdout).toContain('breaker "a\\u001b[31m\\n\\u{202e}b"')
  expect(stdout).not.toMatch(/[^\P{C}\n]/u)
})

it.each([
  ['nothing to read', []],
  ['two files', ['a', 'b']],
  ['an unknown option', ['--all', 'a']],
  ['an option without its value', ['a', '--breaker']],
  ['an offset that is no number', ['a', '--offset', 'ten']],
  ['a negative offset', ['a', '--offset=-8']],
  ['a history of no number', ['a', '--history', 'all']],
])('refuses %s in one line', async (_, args) => {
  expect(await runTool(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^busbar-dump: .+\n$/),
  })
})

it('explains itself', async () => {
  const { code, stdout } = await runTool('--help')
  expect(code).toBe(0)
  for (const word of ['--breaker', '--history', '--json', '--offset', '--find', 'Exit code: 0']) {
    expect(stdout).toContain(word)
  }
})

it('says in one line of what is no region what it is', async () => {
  const folder = makeFolder()
  const file = join(folder, 'x')
  const refusal = async (): Promise<string> => {
    const { code, stdout, stderr } = await runTool(file)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^busbar-dump: .+\n$/)
    return stderr
  }
  expect(await refusal()).toMatch(/ENOENT/)
  writeFileSync(file, '')
  expect(await refusal()).toMatch(/not a region: 0 bytes are left/)
  writeFileSync(file, 'a short text')
  expect(await refusal()).toMatch(/not a region: 12 bytes are left, a header alone has 512/)
  writeFileSync(file, Buffer.alloc(4096))
  expect(await refusal()).toMatch(/it starts with 0x00000000, not 0x42555342/)
  const bytes = readFileSync(dumpStates())
  writeFileSync(file, Buffer.from(bytes).swap32())
  expect(await refusal()).toMatch(/written on a machine of the other byte order/)
  writeFileSync(file, bytes)
  truncateSync(file, bytes.length - 1)
  expect(await refusal()).toMatch(/is cut short: 8 breakers, 3 threads and .* need .* bytes/)
  writeFileSync(file, bytes)
  appendFileSync(file, 'x')
  expect(await refusal()).toMatch(/the region at its start .* --offset 0 prints the region/)
  bytes.writeInt32LE(7, 4)
  writeFileSync(file, bytes)
  expect(await refusal()).toMatch(/layout version 7; this busbar-dump reads 1/)
  mkdirSync(join(folder, 'y'))
  const { code, stderr } = await runTool(join(folder, 'y'))
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/is not a file\n$/) })
})

it('finds a region in a core dump, and prints it from there', async () => {
  const region = dumpStates()
  const core = join(makeFolder(), 'core')
  const offset = 2 ** 20 - 8
  writeFileSync(core, randomBytes(offset))
  appendFileSync(core, readFileSync(region))
  appendFileSync(core, Buffer.concat([Buffer.from([0x42, 0x53, 0x55, 0x42]), Buffer.alloc(600)]))
  const found = await runTool('--find', core)
  expect(found).toMatchObject({ code: 0, stderr: '' })
  expect(found.stdout).toMatch(/^2 places in /)
  expect(found.stdout).toMatch(/^ +1,048,568 {2}0xffff8 +a region of [\d,]+ bytes$/m)
  expect(found.stdout).toMatch(/layout version 0/)
  expect(JSON.parse((await runTool('--find', '--json', core)).stdout)[0]).toMatchObject({ offset })
  const there = await runTool(core, '--offset', '0xffff8')
  const alone = await runTool(region)
  expect(there.code).toBe(0)
  expect(normal(there.stdout, core)).toBe(normal(alone.stdout, region))
  expect(await runTool('--find', region.replace(/region$/, 'none'))).toMatchObject({ code: 2 })
})
