import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Event, fold, getMessageText } from '@remora/protocol'
import { launch, testTranscripts } from '@remora/testkit'
import { expect, it } from 'vitest'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { claude } from './index.ts'

testTranscripts(claude)

it('finds the file of a sub-agent and the call that started it', async () => {
  await using run = await launch('claude', {
    mode: 'bypassPermissions',
    scenario: {
      name: 'delegate',
      title: 'Something for a sub-agent',
      prompt: 'Delegate it.',
      turns: [
        [
          {
            tools: [
              {
                name: 'Task',
                input: { description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose' },
              },
            ],
          },
          { text: 'It is done.' },
        ],
      ],
    },
  })
  const { env, path: home, cwd } = run.home
  const root = claude.transcripts.root({ env, home, cwd })
  const files = (await readdir(root, { recursive: true }))
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
  expect(files.map((file) => claude.transcripts.isSession(file))).toEqual([true, true])
  const events: Event[] = []
  for (const file of files)
    for await (const { records } of readTranscript(claude, join(root, file)))
      events.push(...records.flatMap((record) => record.events))
  expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
  const messages = fold(events)
  const call = messages.flatMap(({ content }) => content).find((block) => block.type === 'tool_use')
  expect(call).toMatchObject({ name: 'Task' })
  expect(
    messages.filter(({ parent, context }) => parent === call!.id && !context).map(getMessageText),
  ).toEqual(['Look around.', 'Subtask done.'])
})
