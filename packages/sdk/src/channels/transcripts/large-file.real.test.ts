import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from '@remora/testkit'
import { expect, it } from 'vitest'

const size = 2 * 1024 ** 3

/** Reads the file in a process that may not keep much of it. */
const reader = `
import { gemini, readTranscript } from '@remora/sdk'
let records = 0
let events = 0
for await (const batch of readTranscript(gemini, process.argv[1])) {
  records += batch.records.length
  for (const record of batch.records) events += record.events.length
}
console.log(JSON.stringify({ records, events, peak: process.resourceUsage().maxRSS * 1024 }))
`

it('reads a file of two gigabytes with a heap of 64 megabytes', { timeout: 480_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'remora-large-'))
  try {
    const path = join(folder, 'session-2026-01-01T00-00-large.jsonl')
    const lines = await write(path)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--max-old-space-size=64', '--input-type=module', '--eval', reader, path],
      { cwd: repository },
    )
    const { records, events, peak } = JSON.parse(stdout) as Record<'records' | 'events' | 'peak', number>
    expect(records).toBe(lines)
    expect(events).toBeGreaterThanOrEqual(lines)
    expect(peak).toBeLessThan(256 * 1024 ** 2)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** As a stream, since no string is that long. Returns the number of lines. */
async function write(path: string): Promise<number> {
  await using file = await open(path, 'w')
  const header = { sessionId: 'large', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' }
  await file.write(`${JSON.stringify(header)}\n`)
  // Made once: most of the time would go into making it.
  const words = Buffer.from('some words of a long answer '.repeat(3_572))
  const [from = '', to = ''] = JSON.stringify({
    id: 'm#',
    timestamp: '2026-01-01T00:00:01.000Z',
    type: 'gemini',
    content: '# *',
  }).split('*')
  let lines = 1
  for (let written = 0; written < size;) {
    const block = Array.from({ length: 100 }, () => {
      const start = from.replaceAll('#', String(++lines))
      return [Buffer.from(start), words, Buffer.from(`${to}\n`)]
    })
    const { bytesWritten } = await file.writev(block.flat())
    written += bytesWritten
  }
  return lines
}
