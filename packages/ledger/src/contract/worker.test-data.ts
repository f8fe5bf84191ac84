import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { EventRecord } from '@remora/protocol'
import type { Ledger } from '../model/ledger.ts'
import { answer, command, target } from './asks.test-data.ts'
import { Story } from './story.test-data.ts'

/** The task of a worker process: race with others, or append until it is killed. */
export type Job =
  | { readonly what: 'race'; readonly own: string; readonly count: number }
  | { readonly what: 'endless' }

/** The same records for the same name. */
export function workerRecords(own: string, count: number): EventRecord[] {
  const story = new Story({ session: own, source: own })
  return Array.from({ length: count }, (_, index) => {
    const text = `${own} text ${index} `.repeat(30)
    const entity = `${own} ${index}`
    return {
      events: [
        story.event({
          type: 'message',
          entity,
          role: 'user',
          content: [{ type: 'text', text }],
          raw: { text },
        }),
      ],
    }
  })
}

/** The result of a race. */
export interface Raced {
  readonly added: number
  readonly won: boolean
  readonly winner: string | undefined
  readonly took: boolean
  readonly leased: boolean
}

async function race(ledger: Ledger, own: string, count: number): Promise<Raced> {
  const { won, answer: decided } = await ledger.asks.answer(target, { ...answer, device: own })
  const took = await ledger.commands.move(command, 'queued', 'sent')
  const lease = await ledger.leases.take('race', { what: own }, 60_000)
  let added = 0
  const [mine, shared] = [workerRecords(own, count), workerRecords('shared', count)]
  for (let index = 0; index < count; index += 4) {
    added += (await ledger.append(mine.slice(index, index + 4))).added
    added += (await ledger.append(shared.slice(index, index + 4))).added
  }
  return { added, won, winner: decided.device, took: took !== undefined, leased: 'term' in lease }
}

/** Appends three records at a time with a mark that counts them, until it is killed or has none left. */
async function endless(ledger: Ledger): Promise<void> {
  let next = ((await ledger.marks('')).get('next') as number | undefined) ?? 0
  const records = workerRecords('endless', 3000)
  for (; next * 3 < records.length; next++) {
    await ledger.append(records.slice(next * 3, next * 3 + 3), { marks: { next: next + 1 } })
    process.stdout.write(`${next}\n`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , module, place, text] = process.argv as [string, string, string, string, string]
  const { open } = (await import(module)) as { open: (place: string) => Promise<Ledger> }
  const job = JSON.parse(text) as Job
  const ledger = await open(place)
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  process.stdin.destroy()
  if (job.what === 'endless') await endless(ledger)
  else process.stdout.write(`${JSON.stringify(await race(ledger, job.own, job.count))}\n`)
  await ledger.close()
}
