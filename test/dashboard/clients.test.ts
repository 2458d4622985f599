/** Clients that read slowly or not at all. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { Clients } from '../../src/dashboard/clients.ts'

/** A response that says whether there is room, as it is told. */
class Line extends EventEmitter {
  readonly written: string[] = []
  hasRoom = true
  destroyed = false

  write(text: string): boolean {
    this.written.push(text)
    return this.hasRoom
  }

  end(text: string): void {
    this.written.push(text)
    this.emit('close')
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

let clients: Clients
let emptied: number
let snapshots: number

function join(): Line {
  const line = new Line()
  clients.add(line as unknown as ServerResponse, 'all')
  return line
}

function send(frame: string): void {
  clients.send(frame, 1_000, () => {
    snapshots += 1
    return 'all again'
  })
}

beforeEach(() => {
  emptied = 0
  snapshots = 0
  clients = new Clients(() => {
    emptied += 1
  })
})

it('who reads gets every frame', () => {
  const line = join()
  send('1')
  send('2')
  expect(line.written).toEqual(['all', '1', '2'])
  expect(snapshots).toBe(0)
})

describe('who is behind', () => {
  it('is passed over, then gets everything, then frames again', () => {
    const [slow, other] = [join(), join()]
    slow.hasRoom = false
    send('1')
    send('2')
    send('3')
    expect(slow.written).toEqual(['all', '1'])
    slow.hasRoom = true
    slow.emit('drain')
    send('4')
    send('5')
    expect(slow.written).toEqual(['all', '1', 'all again', '5'])
    expect(other.written).toEqual(['all', '1', '2', '3', '4', '5'])
    expect(snapshots).toBe(1)
  })

  it('gets no second snapshot when it has missed nothing', () => {
    const line = new Line()
    line.hasRoom = false
    clients.add(line as unknown as ServerResponse, 'all')
    line.hasRoom = true
    line.emit('drain')
    send('1')
    expect(line.written).toEqual(['all', '1'])
  })

  it('is given up after fifteen seconds, and only then', () => {
    const [slow, other] = [join(), join()]
    slow.hasRoom = false
    for (let second = 0; second < 15; second++) send('x')
    expect(slow.destroyed).toBe(false)
    send('x')
    expect(slow.destroyed).toBe(true)
    expect(clients.size).toBe(1)
    expect([other.destroyed, emptied]).toEqual([false, 0])
  })

  it('has its fifteen seconds anew when it takes something', () => {
    const slow = join()
    slow.hasRoom = false
    for (let second = 0; second < 40; second++) {
      send('x')
      if (second % 10 === 9) slow.emit('drain')
    }
    expect(slow.destroyed).toBe(false)
  })
})

it('says when the last has gone, once', () => {
  const [one, other] = [join(), join()]
  one.emit('close')
  one.emit('close')
  expect(emptied).toBe(0)
  other.emit('close')
  expect(emptied).toBe(1)
})

it('an error of a connection is nobody else’s', () => {
  const [one, other] = [join(), join()]
  expect(() => one.emit('error', new Error('ECONNRESET'))).not.toThrow()
  send('1')
  expect(other.written).toEqual(['all', '1'])
})

it('ends for all', () => {
  const lines = [join(), join()]
  clients.end('over')
  expect(lines.map(({ written }) => written)).toEqual([
    ['all', 'over'],
    ['all', 'over'],
  ])
  expect([clients.size, emptied]).toEqual([0, 1])
})
