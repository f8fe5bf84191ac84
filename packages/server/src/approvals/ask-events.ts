import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask, Event, EventRecord } from '@remora/protocol'

/** The event of an ask. The same ask gives the same event. @example ledger.append([asked(key, ask)]) */
export function asked(key: SessionKey, ask: Ask): EventRecord {
  return record(key, ask, 'ask', { type: 'ask', entity: ask.id, ask, ...under(ask) })
}

/** The event of a decision. */
export function answered(key: SessionKey, ask: Ask, answer: Answer): EventRecord {
  return record(key, ask, 'answer', { type: 'answer', entity: ask.id, answer, ...under(ask) })
}

/** The event of a decision that came too late. */
export function notCarried(key: SessionKey, ask: Ask): EventRecord {
  return record(key, ask, 'not carried', {
    type: 'error',
    entity: `${ask.id}/not carried`,
    code: 'conflict',
    severity: 'warning',
    message: `The answer to "${ask.title}" had no effect: the agent did not ask any more`,
    ...under(ask),
  })
}

function under({ parent }: Ask): { parent?: string } {
  return parent === undefined ? {} : { parent }
}

type Fields = Event extends infer E
  ? E extends { type: 'ask' | 'answer' | 'error' }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at'>
    : never
  : never

function record({ agent, session }: SessionKey, ask: Ask, what: string, fields: Fields): EventRecord {
  const origin = {
    channel: 'terminal' as const,
    source: 'approvals',
    key: `${ask.id}/${what}.0`,
    digest: ask.digest,
  }
  return { events: [{ ...fields, agent, session, origin, at: Date.now() }] }
}
