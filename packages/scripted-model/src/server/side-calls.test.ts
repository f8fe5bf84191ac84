import { expect, it } from 'vitest'
import { startScriptedModel } from './server.ts'
import type { Scenario } from '../replies/scenario.ts'

const scenario: Scenario = {
  name: 's',
  title: 't',
  prompt: 'p',
  turns: [[{ text: 'one' }, { text: 'two' }, { text: 'three' }], [{ text: 'next turn' }]],
}

type Message = Record<string, unknown>

async function ask(url: string, messages: Message[]): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages }),
  })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content = ''): Message => ({ role: 'assistant', content })
const tool: Message = { role: 'tool', tool_call_id: 'c', content: 'ok' }

it('continues at the same position after a summary', async () => {
  await using model = await startScriptedModel({ scenario })
  const history = [user('p'), assistant(), tool, assistant(), tool]
  const summary = await ask(model.url, [
    ...history,
    user('You are performing a CONTEXT CHECKPOINT COMPACTION. Go.'),
  ])
  expect(model.requests.at(-1)?.kind).toBe('summary')
  // As codex does: the prompts stay, the summary comes as a user message.
  const compacted = [user('p'), user(`Another model made this summary:\n${summary}`)]
  expect(await ask(model.url, compacted)).toBe('three')
  expect(model.requests.at(-1)).toMatchObject({ kind: 'turn', prompt: 'p' })
  expect(await ask(model.url, [...compacted, assistant('three'), user('continue')])).toBe('next turn')
  // As gemini does: the prompts are gone, what came after them stays.
  expect(
    await ask(model.url, [user(`<state_snapshot>${summary}</state_snapshot>`), assistant('Got it.')]),
  ).toBe('three')
})

it('reads a history that is sent as one text', async () => {
  await using model = await startScriptedModel({ scenario })
  const system = { role: 'system', content: 'You are a context summarization agent.' }
  const retold = '[User]: p\n\n[Assistant tool call]: bash({})\n[Tool result]: one\n'
  const summary = await ask(model.url, [
    system,
    user(`So far:\n<conversation>\n${retold}</conversation>\nSum up.`),
  ])
  const continuation = user(
    'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
  )
  const compacted = [user('What did we do so far?'), assistant(summary), continuation]
  expect(await ask(model.url, compacted)).toBe('two')
  // The second summary includes the first.
  const more = `${summary}\n<conversation>\n[Assistant]: two\n[Tool result]: x\n[Assistant]: three\n</conversation>`
  const second = await ask(model.url, [system, user(more)])
  expect(await ask(model.url, [assistant(second), user('continue')])).toBe('next turn')
})

it.each([
  [
    'You are Claude Code.\nExtract any file paths that this command reads or modifies.',
    'Command: ls',
    'other',
  ],
  ['You are Claude Code.\nGenerate a short kebab-case name.', 'p', 'summary'],
  ['You are Claude Code.\nWorking directory: /w\n', '[SUGGESTION MODE: Suggest what comes next.]', 'other'],
  ['You are Claude Code.\nWorking directory: /w\n', 'p', 'turn'],
])('distinguishes a side call of Claude from a turn: %j, %j', async (system, words, kind) => {
  await using model = await startScriptedModel({ scenario })
  await ask(model.url, [{ role: 'system', content: system }, user(words)])
  expect(model.requests[0]?.kind).toBe(kind)
})

it('does not read the text of a CLI as a prompt', async () => {
  await using model = await startScriptedModel({ scenario })
  const added = [
    'System: Please continue.',
    '[Request interrupted by user for tool use]',
    '[Your previous response had no visible output. Please continue and produce a user-visible response.]',
    '<system-reminder>\nBe nice.\n</system-reminder>',
    '<environment_context>\n<cwd>/w</cwd>\n</environment_context>',
    '<current_datetime>2026-01-01T00:00:00Z</current_datetime>\n\n<mode_changed_notice>\nPlan.\n</mode_changed_notice>\n\n[[PLAN]]',
    '<command-name>/compact</command-name>\n<command-message>compact</command-message>',
    'Continue from where you left off.',
  ]
  expect(await ask(model.url, [user('p'), assistant(), ...added.map(user)])).toBe('two')
  expect(await ask(model.url, added.map(user))).toBe('OK')
  expect(model.requests.map((request) => request.kind)).toEqual(['turn', 'other'])
})
