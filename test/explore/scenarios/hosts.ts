/** Host ejection: deciders, places, ends of ejections, and deaths between any two of their steps. */
import {
  episodeOf,
  inARowOf,
  placeEpisodeOf,
  placeHostOf,
} from '../../../src/memory/words/hosts.ts'
import { check, type Mark, type Scenario } from '../scenario.ts'
import {
  checkGoesOn,
  checkPlaces,
  checkReturn,
  ejectedIn,
  ejectionOf,
  fails,
  type HostsWorld,
  haveEnded,
  hostsWorld,
  INTERVAL_MS,
  inARow,
  NAMES,
  type Name,
} from './host-world.ts'

export const ejectOne: Scenario = {
  name: 'eject-one',
  about: 'two threads see one host fail for the last time: it is ejected once, or not by the dead',
  kills: 1,
  marks: ['ejected', 'by nobody', 'row begun'],
  alone: 80,
  set() {
    const made = hostsWorld({ consecutiveFailures: 2, maxEjectionPercent: 100 })
    fails(made, 3, 'a')()
    return {
      memory: made.memory,
      threads: { x: fails(made, 1, 'a'), y: fails(made, 2, 'a') },
      always: () => checkPlaces(made, 3),
      finally(results, mark) {
        const isEjected = ejectedIn(made).includes('a')
        mark(isEjected ? 'ejected' : 'by nobody')
        if (haveEnded(results)) check(isEjected, 'two failures more, and not ejected')
        check(inARow(made, 'a') <= 1, 'one row has ejected twice')
        const [a] = made.coreOf(3).hosts()
        if (a !== undefined && isEjected && a.rowLength() > 0) mark('row begun')
        if (haveEnded(results)) check(a?.totals().failed === 3, 'a failure was not counted')
        checkGoesOn(made, 3, 2)
        checkReturn(made)
      },
    }
  },
}

export const ejectPlace: Scenario = {
  name: 'eject-place',
  about: 'two hosts, one place: one is ejected, and for the other it is as if nothing had been',
  kills: 1,
  marks: ['a', 'b', 'revoked', 'refused before'],
  alone: 80,
  set() {
    const made = hostsWorld({ consecutiveFailures: 1, maxEjectionPercent: 0 })
    return {
      memory: made.memory,
      threads: { x: fails(made, 1, 'a'), y: fails(made, 2, 'b') },
      always: () => checkPlaces(made, 1),
      finally(results, mark) {
        const [ejected] = ejectedIn(made)
        if (haveEnded(results)) {
          const other = ejected === 'a' ? 'b' : 'a'
          check(ejected !== undefined, 'nobody was ejected')
          check(inARow(made, ejected as Name) === 1, 'the ejection does not count')
          check(inARowOf(ejectionOf(made, other)) === 0, 'an ejection counts that was none')
          mark(ejected as Name)
          mark(episodeOf(ejectionOf(made, other)) > 0 ? 'revoked' : 'refused before')
        }
        checkGoesOn(made, 1, 1)
      },
    }
  },
}

export const ejectLate: Scenario = {
  name: 'eject-late',
  about: 'a decider is late while its host is decided again: its place holds nobody else up',
  kills: 1,
  marks: ['decided twice', 'decided once', 'claimed late'],
  alone: 140,
  set() {
    const made = hostsWorld({ consecutiveFailures: 1, maxEjectionPercent: 67 })
    const { record, shape } = made.controlOf(1)
    return {
      memory: made.memory,
      threads: { late: fails(made, 1, 'a'), y: fails(made, 2, 'a', 'b') },
      always(mark) {
        checkPlaces(made, 2)
        const first = made.memory[record + shape.places] as number
        const isOfA = made.numbers.get(placeHostOf(first)) === 'a'
        const episode = episodeOf(ejectionOf(made, 'a'))
        if (isOfA && episode === 2 && placeEpisodeOf(first) === 1) mark('claimed late')
      },
      finally(results, mark) {
        if (haveEnded(results)) {
          mark(episodeOf(ejectionOf(made, 'a')) === 2 ? 'decided twice' : 'decided once')
          check(ejectedIn(made).length === 2, 'a late claim keeps a host from its place')
          check(inARow(made, 'a') === 1, 'an ejection that was overtaken counts')
        }
        checkGoesOn(made, 2, 1)
      },
    }
  },
}

export const ejectCrowd: Scenario = {
  name: 'eject-crowd',
  about: 'three deciders, three hosts, two places, and two of them may die',
  kills: 2,
  bound: 2,
  marks: ['both places', 'one place'],
  alone: 160,
  set() {
    const made = hostsWorld({ consecutiveFailures: 1, maxEjectionPercent: 67 })
    return {
      memory: made.memory,
      threads: {
        x: fails(made, 1, 'a'),
        y: fails(made, 2, 'b', 'a'),
        z: fails(made, 3, 'c'),
      },
      always: () => checkPlaces(made, 2),
      finally(results, mark) {
        const ejected = ejectedIn(made)
        mark(ejected.length === 2 ? 'both places' : 'one place')
        if (haveEnded(results)) {
          check(ejected.length === 2, 'a place stays free that hosts should have taken')
          const others = NAMES.filter(name => !ejected.includes(name))
          for (const name of others) check(inARow(made, name) === 0, 'one that was none counts')
        }
        checkGoesOn(made, 2, 1)
      },
    }
  },
}

export const ejectionEnds: Scenario = {
  name: 'eject-ends',
  about: "an ejection ends while another host's decider looks for a place, and a third one asks",
  kills: 1,
  mortal: ['x'],
  marks: ['taken over', 'refused', 'seen gone'],
  alone: 100,
  set() {
    const made = hostsWorld({
      consecutiveFailures: 1,
      maxEjectionPercent: 0,
      baseEjectionMs: 20,
    })
    fails(made, 3, 'a')()
    return {
      memory: made.memory,
      threads: {
        x: fails(made, 1, 'b'),
        time: () => {
          made.clock.advance(19)
          made.clock.advance(1)
          return true
        },
        asker: () => {
          const core = made.coreOf(2)
          const isOut = core.isEjected('b')
          return { b: isOut, a: core.isEjected('a') }
        },
      },
      always: () => checkPlaces(made, 1),
      finally(results, mark) {
        const asker = results.asker as { a: boolean; b: boolean }
        check(!(asker.b && asker.a), 'one was back when the other went, and is away again')
        if (asker.b) mark('seen gone')
        const ejected = ejectedIn(made)
        check(!ejected.includes('a'), 'an ejection goes on after its end')
        if (results.x === undefined) return
        mark(ejected.includes('b') ? 'taken over' : 'refused')
        check(inARow(made, 'b') === ejected.length, 'an ejection counts that was none')
      },
    }
  },
}

export const ejectRound: Scenario = {
  name: 'eject-round',
  about: 'two threads find the interval over: one compares, and its death costs the round only',
  kills: 1,
  marks: ['ejected', 'round lost', 'told later'],
  alone: 300,
  set() {
    const made = hostsWorld({
      consecutiveFailures: 0,
      maxEjectionPercent: 0,
      failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 2 },
    })
    fails(made, 3, 'a', 'a', 'a')()
    made.clock.advance(INTERVAL_MS)
    const succeeds = (slot: number) => () => {
      made.coreOf(slot).recordSuccess('b')
      return true
    }
    return {
      memory: made.memory,
      threads: { x: succeeds(1), y: succeeds(2) },
      always: () => checkPlaces(made, 1),
      finally(results, mark) {
        checkRound(made, haveEnded(results), mark)
      },
    }
  },
}

function checkRound(made: HostsWorld, haveAllEnded: boolean, mark: Mark): void {
  const [ejected] = ejectedIn(made)
  mark(ejected === 'a' ? 'ejected' : 'round lost')
  if (haveAllEnded) check(ejected === 'a', 'nobody compared')
  check(inARow(made, 'a') <= 1, 'two threads compared one interval')
  // The next interval: another failing one for the host, and a thread that remembers.
  const asker = made.coreOf(3)
  const knew = asker.isEjected('a')
  check(knew === (ejected === 'a'), 'a thread that looks does not see')
  if (ejected === 'a') return
  for (let failure = 0; failure < 3; failure++) asker.recordFailure('a')
  made.clock.advance(INTERVAL_MS)
  made.coreOf(2).recordSuccess('b')
  check(asker.isEjected('a'), 'a lost round holds up the next')
  mark('told later')
}
