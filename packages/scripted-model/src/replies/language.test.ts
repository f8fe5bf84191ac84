import { expect, it } from 'vitest'
import type { Position } from './conversation.ts'
import { createReply } from './language.ts'
import { loadScenarios } from './load-scenarios.ts'
import type { Reply } from './scenario.ts'

const known = await loadScenarios()

function replyTo(prompts: string | string[], more: Partial<Position> = {}): Reply {
  return createReply({ prompts: [prompts].flat(), reply: 0, fresh: [], ...more }, known)
}

it.each<[string, Reply]>([
  ['RUN: ls -l', { tools: [{ name: 'Bash', input: { command: 'ls -l' } }] }],
  [
    'WRITE: a.txt some text',
    { tools: [{ name: 'Write', input: { file_path: 'a.txt', content: 'some text\n' } }] },
  ],
  ['READ: a.txt', { tools: [{ name: 'Read', input: { file_path: 'a.txt' } }] }],
  [
    'EDIT: a.txt old words => new words',
    {
      tools: [
        { name: 'Edit', input: { file_path: 'a.txt', old_string: 'old words', new_string: 'new words' } },
      ],
    },
  ],
  ['CALL: web_fetch {"prompt":"x"}', { tools: [{ native: 'web_fetch', input: { prompt: 'x' } }] }],
  ['CALL: ls', { tools: [{ native: 'ls', input: {} }] }],
  ['CALL: ls {broken', { tools: [{ native: 'ls', input: { input: '{broken' } }] }],
  ['SAY: one\nSAY: two', { text: 'one\ntwo' }],
  ['THINK: Plan: do: it\nSAY: x', { thoughts: [{ subject: 'Plan', description: 'do: it' }], text: 'x' }],
  ['SLOW 20\nSAY: a b', { delayMs: 20, text: ['a ', 'b'] }],
  ['FAULT: quota\nSAY: x', { fault: { kind: 'status', status: 429, quota: true }, text: 'x' }],
  ['FAULT: 503 2\nSAY: x', { fault: { kind: 'status', status: 503, times: 2 }, text: 'x' }],
  ['FAULT: safety\nSAY: x', { stop: 'safety', text: 'x' }],
  ['FAULT: empty', { fault: { kind: 'empty' } }],
])('%j', (prompt, reply) => {
  expect(replyTo(prompt)).toEqual(reply)
})

it('calls several tools at once', () => {
  expect(replyTo('Please:\nRUN: a\nRUN: b').tools).toHaveLength(2)
})

it('explains its directives', () => {
  expect(replyTo('hello there').text).toMatch(/scripted model.*RUN: command/)
  expect(replyTo('I RUN: nothing inside a line').tools).toBeUndefined()
})

it('repeats the tool results', () => {
  const fresh = [
    { id: 'a', content: ' one\n two ' },
    { id: 'b', content: 'x'.repeat(300) },
  ]
  const { text } = replyTo('RUN: a\nRUN: b', { reply: 1, fresh })
  expect(text).toBe(`Done: one two | ${'x'.repeat(119)}…`)
})

it('plays a scenario from the prompt that names it to its last turn', () => {
  const first = replyTo(['hi', 'SCENARIO: two-turns'])
  expect(first.text).toEqual(['This is', ' the first answer.'])
  expect(replyTo(['hi', 'SCENARIO: two-turns', 'continue']).text).toEqual(['This is', ' the second answer.'])
  expect(replyTo(['hi', 'SCENARIO: two-turns', 'continue', 'SAY: free']).text).toBe('free')
  expect(replyTo('SCENARIO: nothing').text).toMatch(/No scenario is called nothing.*hello/)
})
