import { Event } from '@remora/protocol'
import { EventMaker } from '../../../events/event-maker.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { type AcpMessage, type ReaderQuirks, type ToClaude, acpReader } from './read-update.ts'

const plain: ToClaude = (name, input) => ({ name, input })

/** A new connection; every event is checked against the schema. */
export function reading(toClaude: ToClaude = plain, quirks: ReaderQuirks = {}) {
  const maker = new EventMaker({ agent: 'test', channel: 'acp', source: 'connection' })
  const reader = acpReader(maker, toClaude, { modes: [], ...quirks })
  const read = (message: AcpMessage) => reader.read(message, 7)?.map((event) => Event.parse(event))
  const client = (message: AgentRecord) => read({ from: 'client', message })
  const agent = (message: AgentRecord) => read({ from: 'agent', message })
  return {
    read,
    client,
    agent,
    update: (update: object) => agent({ method: 'session/update', params: { sessionId: 's', update } }),
    prompt: (text: string, id: number) =>
      client({ id, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text }] } }),
  }
}
