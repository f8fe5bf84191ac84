import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Event } from '@remora/protocol'
import fc from 'fast-check'
import { EventMaker } from '../events/event-maker.ts'
import { asRecord } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'
import type { HookPayloadReader } from '../contract/agent.ts'
import { damagedLines } from './streams.test-data.ts'

type HookReader = (maker: EventMaker, state?: unknown) => HookPayloadReader

/** The events of payloads, each checked against the schema; undefined for a payload that is not known. */
export function readHookEvents(
  reader: HookReader,
  payloads: readonly AgentRecord[],
): (Event[] | undefined)[] {
  return hookEventsAndState(reader, payloads).events
}

/** The same, going on from a state, and what is remembered afterwards as it would be stored. */
export function hookEventsAndState(reader: HookReader, payloads: readonly AgentRecord[], before?: unknown) {
  const maker = new EventMaker({ agent: 'test', channel: 'hooks', source: 'hooks' })
  const read = reader(maker, before)
  const events = payloads.map((payload, index) => {
    maker.next(0, `${index}`)
    return read.read({ session_id: 's', ...payload })?.map((event) => Event.parse(event))
  })
  return { events, state: JSON.parse(JSON.stringify(read.state?.() ?? null)) as unknown }
}

/** All payloads that were recorded of an agent, as lines. @example recordedPayloads(import.meta.url) */
export function recordedPayloads(test: string): string[] {
  const root = new URL('fixtures/', test)
  return readdirSync(root).flatMap((version) =>
    readdirSync(new URL(`${version}/`, root)).flatMap((scenario) => {
      const file = new URL(`${version}/${scenario}/hooks.jsonl`, root)
      return readFileSync(fileURLToPath(file), 'utf8').trimEnd().split('\n')
    }),
  )
}

/** Recorded payloads with something wrong in them must not throw. Returns the first that do. */
export function firstFatalPayload(reader: HookReader, lines: readonly string[]): unknown {
  const check = fc.check(
    fc.property(damagedLines(lines), (damaged) => {
      readHookEvents(
        reader,
        damaged.map((line) => asRecord(JSON.parse(line)) ?? {}),
      )
    }),
    { numRuns: 200 },
  )
  return check.failed ? (check.counterexample ?? check) : undefined
}
