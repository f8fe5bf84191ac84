// A process that follows the ledger with several handles, like the servers of other machines.
// Usage: fork(it, [JSON of the ledger's place, number of handles]), then the messages of scale-ages.mjs
import { openLedger } from '@remora/ledger'
import { openPostgres } from '@remora/ledger-postgres'
import { collectAges } from './scale-ages.mjs'

const place = JSON.parse(process.argv[2])
const handles = process.argv[3]
// Also when the bench is interrupted.
process.once('disconnect', () => process.exit())
const { signal } = new AbortController()
const starts = await Promise.all(
  Array.from({ length: Number(handles) }, async () => {
    const ledger = await (place.url ? openPostgres(place) : openLedger(place))
    return { ledger, after: await ledger.head() }
  }),
)
const take = collectAges(starts.length)
await Promise.all(
  starts.map(async ({ ledger, after }) => {
    for await (const page of ledger.tail({ after, signal })) for (const { event } of page.events) take(event)
  }),
)
