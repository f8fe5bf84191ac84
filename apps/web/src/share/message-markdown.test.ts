import type { Message } from '@remora/protocol'
import type { AgentInfo } from '@remora/protocol/api'
import { expect, it, onTestFinished } from 'vitest'
import { useAgentStore } from '../state/agents.ts'
import { formatSessionMarkdown } from './message-markdown.ts'

const message = (
  role: Message['role'],
  content: Message['content'],
  more: Partial<Message> = {},
): Message => ({
  id: 'x',
  role,
  content,
  timestamp: 0,
  tool: 'claude',
  _original: [],
  ...more,
})

it('exports a session without thinking and hidden context', () => {
  onTestFinished(() => useAgentStore.setState({ agents: undefined }))
  useAgentStore.setState({ agents: [{ id: 'claude', title: 'Claude Code', name: 'Claude' } as AgentInfo] })
  const messages = [
    message('user', [{ type: 'text', text: 'Run it' }]),
    message('user', [{ type: 'text', text: 'hidden' }], { context: true }),
    message('assistant', [
      { type: 'thinking', thinking: 'secret thought' },
      { type: 'text', text: 'Yes.' },
      { type: 'tool_use', id: '1', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_result', tool_use_id: '1', content: 'a\n```\nb', status: 'success', is_error: false },
    ]),
    message('assistant', [{ type: 'text', text: 'Done.' }]),
  ]
  expect(formatSessionMarkdown('A\ntitle', messages, 'claude')).toBe(
    '# A title\n\n## You\n\nRun it\n\n## Claude\n\nYes.\n\n**Run** (Done)\n\n```sh\nls\n```\n\n````\na\n```\nb\n````\n\nDone.\n',
  )
})

it('cuts long tool output', () => {
  const content = [
    {
      type: 'tool_result' as const,
      tool_use_id: '1',
      content: 'x'.repeat(1_000_000),
      status: 'success' as const,
      is_error: false,
    },
  ]
  const text = formatSessionMarkdown('t', [message('user', content)], 'claude')
  expect(text.length).toBeLessThan(3_000)
  expect(text).toContain('[cut]')
})
