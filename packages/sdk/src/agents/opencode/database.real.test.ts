import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Event, fold } from '@remora/protocol'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, launch } from '@remora/testkit'
import { expect, it } from 'vitest'
import { getCalls, getTexts } from '../streams.test-data.ts'
import { openDatabase } from '../../transcripts.ts'
import { readChanges } from './database.test-data.ts'
import { streamReader } from './stream.ts'
import { EventMaker } from '../../events/event-maker.ts'

const task = { description: 'Look around', prompt: 'Look around here.', subagent_type: 'general' }
const scenario: Scenario = {
  name: 'subtask',
  title: 'A sub-agent',
  prompt: 'Let somebody look.',
  mode: 'bypassPermissions',
  turns: [
    [
      { text: 'I ask for help.', tools: [{ name: 'Task', input: task }], delayMs: 250 },
      { text: ['Some', 'body', ' looked.'], delayMs: 250 },
    ],
    [{ text: 'Again.' }],
  ],
}

it('reads the database while OpenCode works without disturbing it', async () => {
  await using model = await startScriptedModel({ scenario })
  await using home = await createHome('opencode', { model })
  const path = join(home.path, '.local', 'share', 'opencode', 'opencode.db')
  const readEvents: Event[] = []
  let state: unknown
  let readings = 0
  const read = async () => {
    if (!existsSync(path)) return
    using database = await openDatabase(path)
    const [tables] = database.rows("SELECT count(*) AS n FROM sqlite_master WHERE name = 'part'")
    if (tables?.['n'] !== 1) return
    const changes = readChanges(database, state, { most: 3 })
    if (changes.records.length > 0) readings++
    readEvents.push(...changes.events)
    state = changes.state
  }
  const run = async (resume?: string) => {
    const running = launch('opencode', { home, model, scenario, ...(resume ? { resume } : {}) })
    let ran: Awaited<typeof running> | undefined
    while (ran === undefined) {
      await read()
      ran = await Promise.race([setTimeout(20, undefined), running])
    }
    expect(ran.stderr).toBe('')
    expect(ran.code).toBe(0)
    await read()
    return ran
  }

  const first = await run()
  expect(readings).toBeGreaterThan(3)
  const stream = new EventMaker({ agent: 'opencode', channel: 'headless', source: 'run' })
  const reader = streamReader(stream, { prompt: scenario.prompt })
  const streamed = first.lines.flatMap((line) => reader.read(line))
  await run(readEvents[0]!.session)

  using database = await openDatabase(path)
  const scratch = readChanges(database).events
  const messages = fold(readEvents)
  expect(messages.map(withoutOriginal)).toEqual(fold(scratch).map(withoutOriginal))
  expect(fold([...streamed, ...readEvents]).map(({ id }) => id)).toEqual(messages.map(({ id }) => id))

  const own = messages.filter(({ parent }) => parent === undefined)
  expect(getTexts(own)).toEqual(['I ask for help.', 'Somebody looked.', 'Again.'])
  expect(getCalls(own)).toEqual([['Task', 'success']])
  expect(own.filter(({ role }) => role === 'user')).toHaveLength(2)
  const below = messages.filter(({ parent }) => parent !== undefined)
  expect(below).toMatchObject([
    { role: 'user', content: [{ text: task.prompt }] },
    { role: 'assistant', content: [{ text: 'Subtask done.' }] },
  ])
  // Two runs of a CLI that takes a minute to start on a busy machine.
}, 300_000)

function withoutOriginal({ _original, ...message }: ReturnType<typeof fold>[number]) {
  return message
}
