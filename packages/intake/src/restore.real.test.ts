import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { claude, codex, findFiles } from '@remora/sdk'
import { createHome, launch } from '@remora/testkit'
import { expect, it } from 'vitest'
import { restore as claudeRestore } from '../../sdk/src/agents/claude/restore-transcript.ts'
import { restore as codexRestore } from '../../sdk/src/agents/codex/restore-transcript.ts'
import { importTranscripts, restoreSession } from './index.ts'

const scenario: Scenario = {
  name: 'talk',
  title: 'Two answers',
  prompt: 'One',
  mode: 'default',
  turns: [[{ text: 'First.' }], [{ text: 'Second.' }]],
}
const agents = [
  { ...claude, transcripts: { ...claude.transcripts, restore: claudeRestore } },
  { ...codex, transcripts: { ...codex.transcripts, restore: codexRestore } },
]

it.each(agents)('restores a deleted session of $title byte by byte, and $title resumes it', async (agent) => {
  await using model = await startScriptedModel({ scenario })
  await using home = await createHome(agent.id, { model })
  const place = { env: home.env, home: home.path }
  const at = { ...place, cwd: home.cwd }
  await launch(agent.id, { home, model, scenario })
  const [file = ''] = await findFiles(agent, at)
  const before = readFileSync(file, 'utf8')

  const ledger = await openLedger({ file: join(home.path, '.remora', 'ledger.db') })
  try {
    await importTranscripts(ledger, place)
    const [{ session } = { session: '' }] = await ledger.sessions()
    const key = { agent: agent.id, session }
    expect(await restoreSession(ledger, key, { ...place, agents })).toMatchObject({ files: [], intact: file })
    rmSync(file)
    await importTranscripts(ledger, place)
    expect(await restoreSession(ledger, key, { ...place, agents })).toMatchObject({
      files: [file],
      cwd: home.cwd,
    })
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(await importTranscripts(ledger, place)).toMatchObject({ events: 0, archived: 0 })

    const second = await launch(agent.id, { home, model, scenario, prompt: 'Two', resume: session })
    expect(second.code).toBe(0)
    const turn = model.requests.findLast((request) => request.kind === 'turn')
    expect(JSON.stringify(turn?.body)).toMatch(/One.*First\..*Two/s)
  } finally {
    await ledger.close()
  }
})
