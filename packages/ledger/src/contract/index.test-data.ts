import { afterEach, describe } from 'vitest'
import { testAppend } from './append.test-data.ts'
import { testAsks } from './asks.test-data.ts'
import { testAudit } from './audit.test-data.ts'
import { testCalls } from './calls.test-data.ts'
import { testCursors } from './cursors.test-data.ts'
import { Bench, type Engine } from './engine.test-data.ts'
import { testLeases } from './leases.test-data.ts'
import { testLongText } from './long-text.test-data.ts'
import { testMaintenance } from './maintenance.test-data.ts'
import { testMoving } from './moving.test-data.ts'
import { testNodes } from './nodes.test-data.ts'
import { testOpening } from './opening.test-data.ts'
import { testProcesses } from './processes.test-data.ts'
import { testSearch } from './search.test-data.ts'
import { testSessions } from './sessions.test-data.ts'
import { testUsage } from './usage.test-data.ts'

/** The contract that every engine must fulfil. @example testLedger('sqlite', sqliteEngine) */
export function testLedger(name: string, engine: Engine): void {
  describe(`the ledger contract: ${name}`, () => {
    const bench = new Bench(engine)
    afterEach(() => bench.clear())
    for (const [part, test] of Object.entries(parts)) {
      describe(part, () => {
        test(bench)
      })
    }
  })
}

const parts: Readonly<Record<string, (bench: Bench) => void>> = {
  append: testAppend,
  cursors: testCursors,
  'opening sessions': testOpening,
  sessions: testSessions,
  usage: testUsage,
  calls: testCalls,
  search: testSearch,
  'long texts': testLongText,
  'asks and commands': testAsks,
  'audit and changes': testAudit,
  'leases and marks': testLeases,
  machines: testNodes,
  maintenance: testMaintenance,
  moving: testMoving,
  'several processes': testProcesses,
}
