import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Story } from '../contract/story.test-data.ts'
import { openLedger } from '../index.ts'

it('lets other work run between the pages of a burst', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'remora-tail-'))
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  try {
    const story = new Story()
    const records = Array.from({ length: 2000 }, (_, index) => story.prompt(`Prompt ${index}`)).flat()
    await ledger.append(records)
    let turns = 0
    const count = (): void => {
      turns += 1
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    const stop = new AbortController()
    const seen: number[] = []
    let events = 0
    for await (const page of ledger.tail({ signal: stop.signal })) {
      events += page.events.length
      seen.push(turns)
      if (events >= records.length) stop.abort()
    }
    clearImmediate(immediate)
    expect(seen.length).toBeGreaterThan(3)
    expect(new Set(seen).size).toBe(seen.length)
  } finally {
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
