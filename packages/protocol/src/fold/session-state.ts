import type { Event } from '../event.ts'

/** What an agent is doing. `since` is when it began to. */
export interface SessionState {
  readonly state: 'idle' | 'working' | 'waiting' | 'ended'
  readonly since: number
  /** What it waits for, as far as it was told. */
  readonly detail?: string
}

const second = 1000
const minute = 60 * second

/**
 * How long an agent may be silent before it no longer counts as busy. No channel tells every end: Gemini's hooks say
 * nothing after a refusal, Claude's nothing after Esc, and a killed terminal says nothing at all.
 */
const patience = {
  /** It has said something, or was refused something: mostly that was all. */
  answered: 20 * second,
  /** The model thinks, or is out of reach. */
  asked: 10 * minute,
  /** A tool runs. */
  called: 60 * minute,
  /** A person is waited for. */
  waiting: 24 * 60 * minute,
}

/**
 * What the agent of a session does now, of all that is known of the session, in any order.
 *
 * @example sessionState(events, Date.now()) // { state: 'waiting', since: 1700000000000, detail: 'Shell' }
 */
export function sessionState(events: Iterable<Event>, now: number): SessionState {
  let current: SessionState = { state: 'idle', since: 0 }
  let heard = 0
  let limit: number = patience.answered
  const open = new Set<string>()
  let asking: string | undefined
  const become = (state: SessionState['state'], at: number, detail?: string): void => {
    if (current.state === state && detail === current.detail) return
    current = { state, since: at, ...(detail === undefined ? {} : { detail }) }
  }
  const work = (at: number, until: number): void => {
    become('working', at)
    limit = open.size > 0 ? patience.called : until
  }
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const { at } = event
    if (at > heard) heard = at
    // What a sub-agent does is a sign of life, and nothing more.
    if (event.parent !== undefined) continue
    switch (event.type) {
      case 'message':
        if (event.role === 'user' && !event.context) {
          open.clear()
          work(at, patience.asked)
        }
        break
      case 'text':
      case 'thinking':
      case 'media':
        work(at, event.type === 'text' ? patience.answered : patience.asked)
        break
      case 'tool_use':
        open.add(event.entity)
        work(at, patience.called)
        break
      case 'tool_result':
        // What came of a call may be told once more, and better, when all is over.
        if (!open.delete(event.entity) && current.state !== 'working' && current.state !== 'waiting') break
        work(
          at,
          event.status === 'cancelled' || event.status === 'denied' ? patience.answered : patience.asked,
        )
        break
      case 'ask':
        become('waiting', at, event.ask.title)
        limit = patience.waiting
        asking = event.entity
        break
      case 'answer':
        // An outcome that was inferred later says nothing about now.
        if (asking === event.entity && current.state === 'waiting') work(at, patience.asked)
        break
      case 'done':
        open.clear()
        become('idle', at)
        break
      case 'status':
        if (event.status === 'idle' || event.status === 'ended' || event.status === 'rewound') {
          open.clear()
          // Who goes back, or writes all anew, has stopped before.
          become(event.status === 'ended' ? 'ended' : 'idle', at)
        } else if (event.status === 'waiting') {
          if (current.state !== 'waiting') become('waiting', at, event.detail)
          limit = patience.waiting
        } else if (event.status === 'compacting' || event.status === 'retrying') work(at, patience.asked)
        break
      default:
    }
  }
  const busy = current.state === 'working' || current.state === 'waiting'
  return busy && now - heard > limit ? { state: 'idle', since: heard } : current
}
