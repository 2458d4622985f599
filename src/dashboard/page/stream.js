/** The stream of server-sent events: connected for as long as the page is open. */
import { after, every, uptimeMs } from './time.js'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 5_000
/** Silent for so many intervals: something is stuck, though the connection stands. */
const SILENT_INTERVALS = 4

/**
 * @param {object} handlers
 * @param {(snapshot: object) => void} handlers.onSnapshot
 * @param {(frame: object) => void} handlers.onFrame
 * @param {(link: 'live' | 'silent' | 'lost' | 'closed', detail: string) => void} handlers.onLink
 */
export function connect({ onSnapshot, onFrame, onLink }) {
  let waitMs = FIRST_WAIT_MS
  let heardAt = uptimeMs()
  let intervalMs = 1_000
  let source

  function heard(event) {
    heardAt = uptimeMs()
    onLink('live', '')
    return JSON.parse(event.data)
  }

  function open() {
    source = new EventSource('events')
    source.addEventListener('snapshot', event => {
      const snapshot = heard(event)
      waitMs = FIRST_WAIT_MS
      intervalMs = snapshot.intervalMs
      onSnapshot(snapshot)
    })
    source.addEventListener('frame', event => onFrame(heard(event)))
    source.addEventListener('closed', event => {
      again('closed', JSON.parse(event.data).message)
    })
    source.onerror = () => again('lost', '')
  }

  /** EventSource gives up on an answer like 503, so it is not left to it to try again. */
  function again(link, detail) {
    source.close()
    onLink(link, detail)
    if (link === 'lost') askWhy()
    after(waitMs, open)
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
  }

  async function askWhy() {
    try {
      const response = await fetch('events', { method: 'HEAD' })
      if (response.status === 503) {
        const why = await fetch('snapshot.json')
        onLink('lost', why.ok ? 'too many watch already' : (await why.text()).trim())
      }
    } catch {
      // Not to be reached at all, which is what the page says already.
    }
  }

  open()
  every(1_000, () => {
    const silentMs = uptimeMs() - heardAt
    const isSilent = silentMs > SILENT_INTERVALS * intervalMs
    if (isSilent && source.readyState === EventSource.OPEN) onLink('silent', silentMs)
  })
}
