import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask, EventRecord } from '@remora/protocol'
import { type EventFields, EventMaker } from '@remora/sdk/terminal'

/** Makes the event of an ask. The same ask gives the same origin, so the ledger stores it once. */
export function createAskRecord(key: SessionKey, ask: Ask): EventRecord {
  return createRecord(key, ask, 'ask', { type: 'ask', entity: ask.id, ask })
}

/** Makes the event of a decision. */
export function createAnswerRecord(key: SessionKey, ask: Ask, answer: Answer): EventRecord {
  return createRecord(key, ask, 'answer', { type: 'answer', entity: ask.id, answer })
}

/** Makes the event of a decision that came too late. */
export function createLateAnswerRecord(key: SessionKey, ask: Ask): EventRecord {
  return createRecord(key, ask, 'not carried', {
    type: 'error',
    entity: `${ask.id}/not carried`,
    code: 'conflict',
    severity: 'warning',
    message: `The answer to "${ask.title}" had no effect: the agent did not ask any more`,
  })
}

function createRecord(key: SessionKey, ask: Ask, name: string, fields: EventFields): EventRecord {
  const maker = new EventMaker({ ...key, channel: 'terminal', source: 'approvals' })
  maker.parent = ask.parent
  maker.next(undefined, `${ask.id}/${name}`, ask.digest)
  return { events: [maker.make(fields)] }
}
