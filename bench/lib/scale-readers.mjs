// Reading machines: every server follows the whole ledger and is notified of every append.
import { formatMs } from './numbers.mjs'
import { startFleet } from './scale-fleet.mjs'

export async function measureReaders({ cluster }, { counts, processes, perSecond, seconds }) {
  const database = 'readers'
  await cluster.createDatabase(database)
  console.log(
    `\nreaders: 10 machines write ${perSecond} events/s together, and this many handles follow all events`,
  )
  for (const readers of counts) {
    const fleet = await startFleet((node) => ({ url: cluster.url(database), node }), { processes, readers })
    try {
      await fleet.meet(10, { prefix: `r${readers}`, beats: true })
      const before = cluster.processorMs()
      const { held, offered, p50, p99, events } = await fleet.pace({ perSecond, ms: seconds * 1000 })
      const processor = (cluster.processorMs() - before) / events
      console.log(
        `  ${String(readers).padStart(4)} readers   offered ${offered.toFixed(0).padStart(5)}/s   held ${held.toFixed(0).padStart(5)}/s   ` +
          `delay p50 ${formatMs(p50)} p99 ${formatMs(p99)}   processor of the database ${processor.toFixed(2)} ms/event, ` +
          `${(processor / readers).toFixed(2)} for each reader`,
      )
    } finally {
      await fleet.stop()
    }
  }
}
