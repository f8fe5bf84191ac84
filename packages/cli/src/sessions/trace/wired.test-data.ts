import { readFileSync } from 'node:fs'
import { openLedger } from '@remora/ledger'
import type { Event } from '@remora/protocol/plain'
import { findAgent } from '@remora/sdk'
import { type AcpMessage, acpReader } from '../../../../sdk/src/channels/acp/reading/read-update.ts'
import { EventMaker } from '../../../../sdk/src/events/event-maker.ts'
import { ledgerPath } from '../../home/remora-home.ts'

/** The assumed start of the recorded connections. Their messages are a tenth of a second apart. */
export const began = Date.parse('2026-10-03T08:00:00Z')

/** The recorded messages between a client and a real agent. */
export function recordedWire(agent: string, version: string, scenario: string): AcpMessage[] {
  const file = new URL(
    `../../../../sdk/src/agents/${agent}/fixtures/${version}/${scenario}/acp.jsonl`,
    import.meta.url,
  )
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as AcpMessage)
}

/** The events of wire messages, in the order in which a connection writes them. */
export function wireEvents(agent: string, wire: readonly AcpMessage[], connection = 'connection-1'): Event[] {
  const maker = new EventMaker({ agent, channel: 'acp', source: connection })
  const reader = acpReader(maker, findAgent(agent)!.acp!.toClaude)
  return wire.flatMap(
    (message, index) =>
      reader.read(message, began + index * 100) ?? [
        maker.make({ type: 'unknown', entity: maker.session, what: 'message', raw: message.message }),
      ],
  )
}

/** Appends events to the ledger of a home. */
export async function fill(home: string, events: readonly Event[]): Promise<void> {
  const ledger = await openLedger({ file: ledgerPath({ env: {}, home }) })
  try {
    await ledger.append(events.map((event) => ({ events: [event] })))
  } finally {
    await ledger.close()
  }
}
