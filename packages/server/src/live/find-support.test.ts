import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAgent, saveProbe } from '@remora/sdk'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findSupport, toShownAgent } from './find-support.ts'

const claude = findAgent('claude')!
const { newest } = claude.tested!.terminal!
let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-support-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function find(version: string) {
  await mkdir(join(home, 'cli'), { recursive: true })
  await writeFile(
    join(home, 'cli', 'package.json'),
    JSON.stringify({ name: claude.detection.package, version }),
  )
  const path = join(home, 'cli', 'cli.js')
  await writeFile(path, '')
  await chmod(path, 0o755)
  const parts = { env: { CLAUDE_CLI_PATH: path }, home, remoraHome: home }
  return findSupport(claude, { channel: 'terminal', cwd: home }, parts)
}

const probe = (version: string, verdict: 'passed' | 'failed') =>
  saveProbe(home, {
    agent: 'claude',
    version,
    at: 0,
    seconds: 1,
    verdicts: [{ channel: 'terminal', check: 'approve', verdict }],
  })

it('is left out for a tested version, and for one that passed its probe', async () => {
  expect(await find(newest)).toBeUndefined()
  await probe('9.9.9', 'passed')
  expect(await find('9.9.9')).toBeUndefined()
})

it('names an untested version, whose dialogs are read all the same', async () => {
  const support = await find('9.9.9')
  expect(support).toMatchObject({ version: '9.9.9', channels: { terminal: 'untested' } })
  expect(toShownAgent(claude, { support })).toBe(claude)
})

it('does not interpret the dialogs of a version whose terminal failed in its probe', async () => {
  await probe(newest, 'failed')
  const support = await find(newest)
  expect(support?.channels).toMatchObject({ terminal: 'failed', acp: 'tested' })
  const screen = { title: '', lines: ['Something new'], columns: 80, cursor: { x: 0, y: 0 } }
  expect(toShownAgent(claude, { support }).terminal!.read(screen).ask).toMatchObject({ kind: 'dialog' })
})
