import type { Event } from '../model/event.ts'

/** What an agent is doing, and since when. */
export interface SessionState {
  readonly state: 'idle' | 'working' | 'waiting' | 'ended'
  readonly since: number
  /** What it waits for, if known. */
  readonly detail?: string
}

const second = 1000
const minute = 60 * second

/**
 * How long an agent may be silent before it counts as idle. No channel reports every end of a turn: Gemini's hooks report
 * nothing after a refusal, Claude's nothing after Esc, and a killed terminal nothing at all.
 */
const timeouts = {
  /** After text or a refusal, which usually end the turn. */
  answered: 20 * second,
  /** The model is thinking, or cannot be reached. */
  asked: 10 * minute,
  /** A tool is running. */
  called: 60 * minute,
  /** The agent waits for the user. */
  waiting: 24 * 60 * minute,
}

/**
 * Finds what the agent of a session is doing now. The order of the events does not matter.
 *
 * @example sessionState(events, Date.now()) // { state: 'waiting', since: 1700000000000, detail: 'Shell' }
 */
export function sessionState(events: Iterable<Event>, now: number): SessionState {
  let current: SessionState = { state: 'idle', since: 0 }
  let latest = 0
  let limit: number = timeouts.answered
  const open = new Set<string>()
  let asking: string | undefined
  const enter = (state: SessionState['state'], at: number, detail?: string): void => {
    if (current.state === state && detail === current.detail) return
    current = { state, since: at, ...(detail === undefined ? {} : { detail }) }
  }
  const work = (at: number, until: number): void => {
    enter('working', at)
    limit = open.size > 0 ? timeouts.called : until
  }
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const { at } = event
    if (at > latest) latest = at
    // Events of a sub-agent only show that the session is active.
    if (event.parent !== undefined) continue
    switch (event.type) {
      case 'message':
        if (event.role === 'user' && !event.context) {
          open.clear()
          work(at, timeouts.asked)
        }
        break
      case 'text':
      case 'thinking':
      case 'media':
        work(at, event.type === 'text' ? timeouts.answered : timeouts.asked)
        break
      case 'tool_use':
        open.add(event.entity)
        work(at, timeouts.called)
        break
      case 'tool_result':
        // A transcript may repeat the result of a call after the turn has ended.
        if (!open.delete(event.entity) && current.state !== 'working' && current.state !== 'waiting') break
        work(
          at,
          event.status === 'cancelled' || event.status === 'denied' ? timeouts.answered : timeouts.asked,
        )
        break
      case 'ask':
        enter('waiting', at, event.ask.title)
        limit = timeouts.waiting
        asking = event.entity
        break
      case 'answer':
        // An answer that was inferred later does not change the current state.
        if (asking === event.entity && current.state === 'waiting') work(at, timeouts.asked)
        break
      case 'done':
        open.clear()
        enter('idle', at)
        break
      case 'status':
        if (event.status === 'idle' || event.status === 'ended' || event.status === 'rewound') {
          open.clear()
          // An agent stops before it rewinds or rewrites the session.
          enter(event.status === 'ended' ? 'ended' : 'idle', at)
        } else if (event.status === 'waiting') {
          if (current.state !== 'waiting') enter('waiting', at, event.detail)
          limit = timeouts.waiting
        } else if (event.status === 'compacting' || event.status === 'retrying') work(at, timeouts.asked)
        break
      default:
    }
  }
  const busy = current.state === 'working' || current.state === 'waiting'
  return busy && now - latest > limit ? { state: 'idle', since: latest } : current
}
