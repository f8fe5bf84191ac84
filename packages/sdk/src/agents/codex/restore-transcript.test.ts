import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { codex } from './index.ts'
import { restore } from './restore-transcript.ts'

const session = '00000001-0000-4000-8000-000000000000'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-codex-restore-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

it.each(['sub-agent', 'rewind'])(
  'restores the files of a session with a %s line by line',
  async (scenario) => {
    const recorded = new URL(`sessions/fixtures/0.166.0/${scenario}`, import.meta.url).pathname
    const names = readdirSync(recorded)
      .filter((name) => name.startsWith('rollout-'))
      .toSorted()
    const place = { env: {}, home, cwd: home }
    const began = new Date('2026-01-01T00:00:00.000Z')
    const day = [began.getFullYear(), began.getMonth() + 1, began.getDate()].map((part) =>
      `${part}`.padStart(2, '0'),
    )
    const folder = join(home, '.codex', 'sessions', ...day)
    mkdirSync(folder, { recursive: true })
    cpSync(recorded, folder, { recursive: true })
    const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'))
    const events: Event[] = []
    for (const name of names)
      for await (const batch of readTranscript(codex, join(folder, name)))
        for (const record of batch.records) events.push(...record.events)
    expect(await restore(place, { session, events })).toMatchObject({
      files: [],
      intact: expect.stringContaining(session) as string,
    })

    rmSync(folder, { recursive: true })
    const { files } = await restore(place, { session, cwd: '/work', events })
    const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    expect(sorted.map(({ text }) => text)).toEqual(texts)
    expect(sorted[0]!.path).toMatch(
      new RegExp(`^${folder}/rollout-\\d{4}-\\d\\d-\\d\\dT\\d\\d-00-00-${session}\\.jsonl$`),
    )
    await expect(restore(place, { session, events: [] })).rejects.toMatchObject({ code: 'not_found' })
  },
)
