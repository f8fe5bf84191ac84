import { fileURLToPath } from 'node:url'
import { Story, everyEvent } from '../../ledger/src/contract/story.test-data.ts'
import { answer, ask, command } from '../../ledger/src/contract/asks.test-data.ts'
import { type Ledger, moveLedger, openLedger } from '@remora/ledger'
import { openPostgres } from './open-postgres.ts'

/** Fills a ledger with rows of every part, in several sessions, channels and pages. */
export async function fillLedger(ledger: Ledger, rounds = 120): Promise<void> {
  const story = new Story()
  await ledger.append([{ events: everyEvent(story) }], { marks: { 'read/a': { offset: 3 } } })
  const long = 'A "quoted"\n\tline with \\ and é你😀, '.repeat(20)
  for (let round = 0; round < rounds; round++) {
    const each = new Story({
      session: `s${round % 7}`,
      agent: round % 2 ? 'gemini' : 'claude',
      source: `f${round}`,
    })
    const record = { round, text: long }
    const raw = ` ${JSON.stringify(record, null, 1)}`
    const events = [
      each.event({
        type: 'message',
        entity: `p${round}`,
        role: 'user',
        content: [{ type: 'text', text: long }],
        raw: record,
      }),
      each.event({ type: 'text', entity: `t${round}`, offset: 0, text: long, final: true }),
      each.event({ type: 'usage', entity: `t${round}`, scope: 'message', usage: { inputTokens: round } }),
    ]
    await ledger.append([{ events, raw }, ...each.says(`word${round}`, `m${round}`)])
  }
  const key = { agent: 'claude', session: 's0' }
  await ledger.annotate(key, { name: 'Mine', pinned: true })
  await ledger.annotate({ agent: 'gemini', session: 's1' }, { hidden: true })
  await ledger.archive([{ agent: 'claude', session: 's2' }], 5)
  await ledger.asks.open(key, ask)
  await ledger.asks.answer(key, answer)
  await ledger.asks.open(key, { ...ask, id: 'open' })
  await ledger.commands.submit({ ...command, target: key })
  await ledger.audit.append({ what: 'policy', who: 'person', detail: { a: 1 } })
  await ledger.append(new Story({ session: 'gone' }).prompt('forgotten words'))
  await ledger.forget({ agent: 'claude', session: 'gone' })
}

/** Moves in a process of its own and reports every step, until it is killed. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, url] = process.argv.slice(2) as [string, string]
  const [from, to] = [await openLedger({ file }), await openPostgres({ url })]
  await moveLedger(from, to, { onProgress: ({ part, done }) => process.stdout.write(`${part} ${done}\n`) })
  process.stdout.write('end\n')
}
