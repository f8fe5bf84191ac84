import { afterAll, beforeAll, describe } from 'vitest'
import type { Engine } from '../../ledger/src/contract/engine.test-data.ts'
import { testLedger } from '../../ledger/src/contract/index.test-data.ts'
import { testOffline } from './offline.test-data.ts'
import { type PostgresEngine, open, startEngine } from './engine.test-data.ts'
import { testFlush } from './flush.test-data.ts'
import { testOpening } from './opening.test-data.ts'
import { testOrder } from './order.test-data.ts'
import { testConcurrentAppends } from './concurrent-appends.test-data.ts'

let running: PostgresEngine
beforeAll(async () => {
  running = await startEngine()
})
afterAll(() => running?.server.stop())

const engine: Engine = {
  place: () => running.place(),
  open,
  module: import.meta.resolve('./engine.test-data.ts'),
}

testLedger('postgresql', engine)

const parts: Readonly<Record<string, (engine: () => PostgresEngine) => void>> = {
  'opening a ledger in a database': testOpening,
  'the order of events': testOrder,
  'an offline database': testOffline,
  'concurrent appends': testConcurrentAppends,
  'events that are not flushed yet': testFlush,
}
for (const [part, test] of Object.entries(parts))
  describe(part, () => {
    test(() => running)
  })
