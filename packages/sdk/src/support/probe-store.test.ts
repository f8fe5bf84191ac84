import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ProbeReport } from './probe-report.ts'
import { readProbe, saveProbe } from './probe-store.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-probes-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const report: ProbeReport = {
  agent: 'codex',
  version: '0.165.0',
  wrapper: 'codex-acp 2.6.0',
  at: 5,
  seconds: 40,
  verdicts: [{ channel: 'terminal', check: 'deny', verdict: 'failed', why: 'No dialog' }],
}

it('keeps the last report of each version', async () => {
  await saveProbe(home, { ...report, seconds: 1 })
  await saveProbe(home, report)
  await saveProbe(home, { ...report, version: '0.166.0' })
  expect(await readProbe(home, 'codex', '0.165.0')).toEqual(report)
  expect(await readProbe(home, 'codex', '0.167.0')).toBeUndefined()
  expect(await readProbe(home, 'codex', undefined)).toBeUndefined()
  expect(await readdir(join(home, 'probes'))).toHaveLength(2)
})

it('ignores a damaged report, and never leaves its folder', async () => {
  await saveProbe(home, { ...report, version: '../../x' })
  expect(await readdir(home)).toEqual(['probes'])
  const [file] = await readdir(join(home, 'probes'))
  await writeFile(join(home, 'probes', file!), '{"agent":')
  expect(await readProbe(home, 'codex', '../../x')).toBeUndefined()
})
