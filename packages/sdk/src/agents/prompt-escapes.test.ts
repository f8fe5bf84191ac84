import { expect, it } from 'vitest'
import { encodePrompt } from '../contract/prompt-escapes.ts'
import { agents } from './registry.ts'
import { emptyScreen } from './screens.test-data.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { gemini } from './gemini/index.ts'
import { opencode } from './opencode/index.ts'

const joiner = '\u2060'
const blank = '\u2800'
const terminal = (agent: {
  title: string
  terminal?: { escapes?: Parameters<typeof encodePrompt>[2]['escapes'] }
}) => ({
  title: agent.title,
  escapes: agent.terminal?.escapes,
})

// What each pinned CLI needs, as the live tests find with the real ones.
it.each([
  [claude, '!ls', ' !ls'],
  [claude, '/clear', `${blank}/clear`],
  [claude, '\u200B/clear', `${blank}\u200B/clear`],
  [claude, '\u034F/clear', `${blank}\u034F/clear`],
  [claude, '\uFE0F!ls', ' \uFE0F!ls'],
  [claude, 'e\u200Bxit', `${blank}e\u200Bxit`],
  [claude, ':w\u3164q!', `${blank}:w\u3164q!`],
  [claude, '#note', ' #note'],
  [claude, 'exit', `${blank}exit`],
  [claude, ' QUIT ', `${blank} QUIT `],
  [claude, ':wq', `${blank}:wq`],
  [claude, 'exit the loop', 'exit the loop'],
  [codex, '!ls', `${joiner}!ls`],
  [codex, ' \t!ls', `${joiner} \t!ls`],
  [codex, '/quit', ' /quit'],
  [codex, 'exit', 'exit'],
  [gemini, '/quit', `${joiner}/quit`],
  [gemini, '\n /quit', `${joiner}\n /quit`],
  [gemini, '\u200B/quit', `${joiner}\u200B/quit`],
  [gemini, '!ls', ' !ls'],
  [opencode, '/undo', ' /undo'],
  [opencode, ':q', `${joiner}:q`],
] as const)('$0.title gets %j from %j on a terminal', (agent, text, expected) => {
  expect(encodePrompt(text, 'text', terminal(agent))).toBe(expected)
})

it.each(['hello', 'a\n/clear', 'a !b', '@file', '', 'use /clear', '5 > 4!'])(
  'leaves %j as it is everywhere',
  (text) => {
    for (const agent of agents())
      for (const part of [agent.terminal, agent.acp, agent.headless])
        expect(encodePrompt(text, 'text', { title: agent.title, escapes: part?.escapes })).toBe(text)
  },
)

it('sends a command only where the agent has it', () => {
  expect(encodePrompt('compact', 'slash', terminal(claude))).toBe('/compact')
  expect(encodePrompt(' /compact now', 'slash', terminal(claude))).toBe('/compact now')
  expect(encodePrompt('!ls -l', 'shell', terminal(claude))).toBe('ls -l')
  expect(() => encodePrompt('!', 'shell', terminal(claude))).toThrow('empty')
  const headless = { title: codex.title, escapes: codex.headless.escapes }
  expect(() => encodePrompt('/x', 'slash', headless)).toThrow('Codex takes no slash commands here')
  const acp = { title: claude.title, escapes: claude.acp.escapes }
  expect(() => encodePrompt('ls', 'shell', acp)).toThrow('Claude Code takes no shell commands here')
})

it('refuses a text that no prefix makes plain', () => {
  const escapes = [{ kind: 'slash' as const, pattern: /^x/ }]
  expect(() => encodePrompt('xyz', 'text', { title: 'One', escapes })).toThrow(
    'One would run this text as a command',
  )
})

const rule = '─'.repeat(120)
const [upper, lower] = ['▀'.repeat(120), '▄'.repeat(120)]

it.each([
  [claude, [rule, '! touch a.txt', rule, '  ! for shell mode']],
  [
    codex,
    [
      '  >_ OpenAI Codex (v0.166.0)',
      '',
      '! touch a.txt',
      '',
      '  m default · ~/work',
      `${' '.repeat(80)}  Shell mode`,
    ],
  ],
  [
    gemini,
    [rule, '  shell mode enabled (esc to disable)', lower, ' ! touch a.txt', upper, ' workspace', ' ~/work'],
  ],
  [
    opencode,
    ['  ┃', '  ┃  touch a.txt', '  ┃', '  ┃  Shell', `  ╹${'▀'.repeat(60)}`, '  esc exit shell mode'],
  ],
])('knows the shell mode of $0.title', (agent, lines) => {
  const now = agent.terminal.read(emptyScreen({ lines, title: '' }))
  expect(now).toMatchObject({ input: 'touch a.txt', shell: true })
})
