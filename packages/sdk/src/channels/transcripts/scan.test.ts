import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent } from '../../contract/agent.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claude } from '../../agents/claude/index.ts'
import { codex } from '../../agents/codex/index.ts'
import { gemini } from '../../agents/gemini/index.ts'
import { readTranscript } from './read-transcript.ts'
import { scanAgent, scanFiles } from './scan.ts'
import { Summary } from './summary.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-scan-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The slow way: every record through the reader. */
async function summarize(agent: Agent, path: string) {
  const summaries = new Map<string, Summary>()
  for await (const { records } of readTranscript(agent, path)) {
    for (const event of records.flatMap(({ events }) => events)) {
      let summary = summaries.get(event.session)
      if (!summary) summaries.set(event.session, (summary = new Summary(agent.id, event.session)))
      summary.add(event)
    }
  }
  return [...summaries.values()].map((summary) => ({ ...summary.finish(), files: [path] }))
}

const recorded = [claude, codex, gemini].flatMap((agent) => {
  const root = fileURLToPath(new URL(`../../agents/${agent.id}/`, import.meta.url))
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((name) => /fixtures.*session[^/]*\.jsonl?$|sessions\/fixtures.*\.jsonl$/.test(name))
    .map((name) => ({ agent, name, path: join(root, name) }))
})

it('gives the same result as the full reader', async () => {
  expect(recorded.length).toBeGreaterThan(100)
  for (const { agent, path, name } of recorded) {
    const skimmed = await scanFiles(agent, [path])
    const summaries = skimmed.map((summary) => summary.finish())
    expect(summaries.filter(Boolean), name).toEqual(
      (await summarize(agent, path)).filter(({ messages }) => messages !== undefined),
    )
  }
})

it('reads only the new part of a grown file, and all of a rewritten one', async () => {
  const { path: from } = recorded.find(({ name }) => name.includes('0.61.0/two-turns/session.jsonl'))!
  const path = join(folder, 'session-2026-01-01T00-00-00000001.jsonl')
  copyFileSync(from, path)
  const scan = async () => (await scanFiles(gemini, [path]))[0]?.finish()
  const before = await scan()
  expect(await scan()).toEqual(before)
  const said = { id: 'new', timestamp: '2026-01-02T00:00:00.000Z', type: 'user', content: 'More' }
  appendFileSync(path, `${JSON.stringify(said)}\n`)
  expect(await scan()).toMatchObject({ messages: before!.messages + 1, updatedAt: Date.UTC(2026, 0, 2) })
  const header = { sessionId: 'other', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' }
  writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(said)}\n`)
  expect(await scan()).toMatchObject({ id: 'other', messages: 1, usage: {} })
})

it('lists a session whose file was looked up after the last list', async () => {
  const place = { home: folder, env: {}, cwd: folder }
  const path = join(folder, '.gemini', 'tmp', 'project', 'chats', 'session-2026-01-01T00-00-listed.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const header = { sessionId: 'listed', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' }
  writeFileSync(path, `${JSON.stringify(header)}\n`)
  const list = async () => (await scanAgent(gemini, place)).flatMap((summary) => summary.finish()?.id ?? [])
  expect(await list()).toEqual([])
  const prompt = { id: '1', timestamp: '2026-01-01T00:00:01.000Z', type: 'user', content: 'One' }
  writeFileSync(path, `${JSON.stringify({ ...header, sessionId: 'rewritten' })}\n${JSON.stringify(prompt)}\n`)
  expect(await scanFiles(gemini, [path])).toHaveLength(1)
  expect(await list()).toEqual(['rewritten'])
  expect(await scanAgent(gemini, place)).toBe(await scanAgent(gemini, place))
})

it('drops only the messages that were rewound to a notice', async () => {
  const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z` })
  const path = join(folder, 'session-2026-01-01T00-00-rewound.jsonl')
  const records = [
    { sessionId: 'rewound', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' },
    { id: '1', ...at(1), type: 'user', content: 'One' },
    { id: '2', ...at(2), type: 'gemini', content: 'First' },
    { id: '3', ...at(3), type: 'info', content: 'A notice' },
    { id: '4', ...at(4), type: 'user', content: 'Two' },
    { $rewindTo: '3' },
  ]
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  expect((await scanFiles(gemini, [path]))[0]?.finish()).toMatchObject({ messages: 2 })
})

it('counts messages that an interrupted turn omits, and none twice', async () => {
  const path = join(folder, 'session-2026-01-01T00-00-interrupted.jsonl')
  const user = (id: string, content: string) => ({
    id,
    timestamp: '2026-01-01T00:00:01.000Z',
    type: 'user',
    content,
  })
  const model = (id: string, content: string) => ({ ...user(id, content), type: 'gemini' })
  const first = [user('1', 'One'), model('2', 'First')]
  const again = [user('8', 'One'), model('9', 'First')]
  const count = async (...records: object[]) => {
    const header = { sessionId: 'interrupted', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' }
    writeFileSync(path, [header, ...records].map((record) => `${JSON.stringify(record)}\n`).join(''))
    return (await scanFiles(gemini, [path]))[0]?.finish()?.messages
  }
  const list = (...messages: object[]) => ({ $set: { messages } })
  const cancelled = [...first, user('3', 'Two'), list(...first)]
  expect(await count(...cancelled)).toBe(3)
  expect(await count(...cancelled, user('4', 'Three'), ...again, list(...again))).toBe(4)
  expect(await count(...cancelled, user('4', 'Three'), ...again, list(...again), user('10', 'Four'))).toBe(5)
})
