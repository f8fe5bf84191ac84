import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Event, fold, getMessageText } from '@remora/protocol'
import { launch, testTranscripts } from '@remora/testkit'
import { expect, it } from 'vitest'
import { readTranscript } from '../../channels/transcripts/read-transcript.ts'
import { codex } from './index.ts'

testTranscripts(codex)

const untilSubtaskIsDone =
  'for i in $(seq 90); do grep -rq "Subtask done" "$HOME/.codex/sessions" && break; sleep 0.1; done'

it('finds the file of a sub-agent and the call that started it', async () => {
  await using run = await launch('codex', {
    mode: 'bypassPermissions',
    scenario: {
      name: 'delegate',
      title: 'Something for a sub-agent',
      prompt: 'Delegate it.',
      turns: [
        [
          { tools: [{ name: 'Task', input: { prompt: 'Look around.' } }] },
          // The sub-agent runs in parallel, and ends with the main thread.
          { tools: [{ name: 'Bash', input: { command: untilSubtaskIsDone } }] },
          { text: 'It is done.' },
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
  const prompts = messages.filter(({ role, parent, context }) => role === 'user' && !parent && !context)
  expect(prompts.map(getMessageText)).toEqual(['Delegate it.'])
  const under = messages.filter(({ parent, context }) => parent === call!.id && !context)
  expect(getMessageText(under[0]!)).toBe('Look around.')
})
