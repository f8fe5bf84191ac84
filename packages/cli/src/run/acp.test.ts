import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestHome } from '../sessions/home.test-data.ts'

let home: TestHome
beforeEach(() => {
  home = new TestHome()
})
afterEach(() => home[Symbol.dispose]())

it.each([
  [['acp'], 2, 'remora acp needs <agent>'],
  [['acp', 'gemni'], 2, 'Did you mean gemini?'],
  [['acp', 'gemini', '--command', 'x'], 2, 'Cannot use both gemini and --command'],
  [['acp', '--command', '"x'], 2, 'Invalid --command: "x'],
  [['acp', 'gemini'], 3, 'Gemini CLI is not installed'],
  [['acp', 'kiro'], 3, 'Kiro'],
  [['acp', '--command', '/no/such/agent'], 3, 'There is no program /no/such/agent'],
])('%j ends with %i: %s', async (words, code, message) => {
  const ended = await home.remora(words)
  expect(ended).toMatchObject({ code, out: '' })
  expect(ended.err).toContain(message)
})

it('shows the editor settings in its help', async () => {
  const { out } = await home.remora(['acp', '--help'])
  expect(out).toContain('"Gemini by Remora": { "command": "remora", "args": ["acp", "gemini"] }')
})
