import { once } from 'node:events'
import type { EventRecord } from '@remora/protocol'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import { open } from './engine.test-data.ts'

/** Appends batches of all sizes to its own session and a shared one, as fast as it can. */
const [, , place, own, appends] = process.argv as [string, string, string, string, string]
const ledger = await open(place)
const stories = [new Story({ session: own, source: own }), new Story({ session: 'shared', source: own })]
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()
let seed = own.codePointAt(0)! * 7919
const chance = (below: number): number => (seed = (seed * 48271) % 2147483647) % below
for (let turn = 0; turn < Number(appends); turn++) {
  const records: EventRecord[] = Array.from({ length: 1 + chance(12) }, (_, index) => {
    const text = 'x'.repeat(chance(20) === 0 ? 200_000 : chance(400))
    return stories[chance(2)]!.prompt(text, `${own} ${turn} ${index}`)[0]!
  })
  const { cursor } = await ledger.append(records)
  process.stdout.write(`${cursor.seq} ${records.length}\n`)
}
await ledger.close()
