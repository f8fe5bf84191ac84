import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Event, fold, textOf } from '@remora/protocol'
import { launch, pinnedVersions, testTranscripts } from '@remora/testkit'
import { expect, it } from 'vitest'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { codex } from './index.ts'

for (const version of pinnedVersions('codex')) testTranscripts(codex, { version })

it('finds the file of a sub-agent, and under which call it worked', async () => {
  await using run = await launch('codex', {
    mode: 'bypassPermissions',
    scenario: {
      name: 'delegate',
      title: 'Something for a sub-agent',
      prompt: 'Delegate it.',
      turns: [
        [
          { tools: [{ name: 'spawn_agent', input: { message: 'Look around.' } }] },
          { text: 'It is done.', delayMs: 300 },
        ],
      ],
    },
  })
  const { env, path: home, cwd } = run.home
  const root = codex.transcripts.root({ env, home, cwd })
  const files = (await readdir(root, { recursive: true }))
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
  expect(files.map((file) => codex.transcripts.isSession(file))).toEqual([true, true])
  const events: Event[] = []
  for (const file of files)
    for await (const { records } of readTranscript(codex, join(root, file)))
      events.push(...records.flatMap((record) => record.events))
  expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
  const messages = fold(events)
  const call = messages.flatMap(({ content }) => content).find((block) => block.type === 'tool_use')
  expect(call).toMatchObject({ name: 'Task', input: { prompt: 'Look around.' } })
  const under = messages.filter(({ parent, context }) => parent === call!.id && !context)
  expect(textOf(under[0]!)).toBe('Look around.')
})
