import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findFiles } from '../../channels/transcripts/find-files.ts'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { claude } from './index.ts'
import { restore } from './restore-transcript.ts'

const recorded = new URL('sessions/fixtures/2.1.197/sub-agent', import.meta.url).pathname
const session = '00000001-0000-4000-8000-000000000000'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-claude-restore-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function told(paths: readonly string[]): Promise<Event[]> {
  const events: Event[] = []
  for (const path of paths)
    for await (const batch of readTranscript(claude, path))
      for (const record of batch.records) events.push(...record.events)
  return events
}

it('restores a session and its sub-agents line by line', async () => {
  const place = { env: {}, home, cwd: home }
  const project = join(home, '.claude', 'projects', '-home-user-work')
  cpSync(recorded, project, { recursive: true })
  const paths = (await findFiles(claude, place)).toSorted()
  expect(paths).toHaveLength(2)
  const before = paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const events = await told(paths)
  expect(await restore(place, { session, events })).toMatchObject({ files: [], intact: paths[0] })

  rmSync(project, { recursive: true })
  const restored = await restore(place, { session, events })
  expect(restored.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(before)
  expect(restored).toMatchObject({ damaged: [], cwd: '/home/user/work' })
  await expect(restore(place, { session, cwd: home, events: [] })).rejects.toMatchObject({
    code: 'not_found',
  })
})
