import { readFileSync } from 'node:fs'
import type { Ledger } from '@remora/ledger'
import type { EventRecord } from '@remora/protocol'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'

interface Recorded {
  readonly agent: string
  readonly tool: string
  readonly native: string
  readonly input: unknown
  readonly status: 'error' | 'denied' | 'cancelled' | 'timeout'
  readonly error?: string
}

/** Failures of the real CLIs. */
export const recordedFailures: readonly Recorded[] = readFileSync(
  new URL('../../../insights/src/fixtures/failures.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

export interface FillOptions {
  readonly calls: number
  /** The share of failed calls. */
  readonly failed?: number
  readonly now?: number
  /** The number of days that the calls cover. */
  readonly days?: number
}

const dayMs = 86_400_000

/** Fills a ledger with calls in several projects and sessions, some with recorded failures of the real CLIs. */
export async function fillLedger(
  ledger: Ledger,
  { calls, failed = 0.2, now = Date.now(), days = 40 }: FillOptions,
): Promise<void> {
  const perSession = 50
  let failure = 0
  for (let session = 0; session * perSession < calls; session++) {
    const records: EventRecord[] = []
    const { agent } = recordedFailures[failure % recordedFailures.length]!
    const story = new Story({ agent, session: `s${session}`, source: `file ${session}` })
    const start = now - Math.floor((session * perSession * days * dayMs) / calls) - 3_600_000
    const cwd = `/home/me/${['shop', 'parser', 'site'][session % 3]}`
    records.push(
      ...story.tell({ type: 'session', entity: 's', cwd, title: `Session ${session}`, at: start }),
      ...story.tell({
        type: 'message',
        entity: 'p',
        role: 'user',
        content: [{ type: 'text', text: 'Do it' }],
        at: start,
      }),
    )
    for (let index = 0; index < perSession && session * perSession + index < calls; index++) {
      const at = start + index * 1_000
      const entity = `c${session}-${index}`
      if ((index + 1) * failed - Math.floor(index * failed) >= 1) {
        const {
          tool: name,
          native,
          input,
          status,
          error,
        } = recordedFailures[failure++ % recordedFailures.length]!
        records.push(
          ...story.tell(
            { type: 'tool_use', entity, name, input, native: { name: native, input }, at },
            { type: 'tool_result', entity, status, content: error ?? '', at: at + 500 },
          ),
        )
      } else
        records.push(
          ...story.tell(
            { type: 'tool_use', entity, name: 'Bash', input: { command: `echo ${index}` }, at },
            { type: 'tool_result', entity, status: 'success', content: 'ok', at: at + 500 },
          ),
        )
    }
    await ledger.append(records)
  }
}
