import { describe, expect, it } from 'vitest'
import { toClaude as geminiTools } from '../../../agents/gemini/tools.ts'
import type { ToClaude } from './read-update.ts'
import { reading } from './reading.test-data.ts'

describe('a call', () => {
  const call = (update: object, toClaude?: ToClaude) =>
    reading(toClaude).update({ sessionUpdate: 'tool_call', toolCallId: 'c', ...update })

  it.each<[string, object, object]>([
    [
      'a name of Claude’s',
      { _meta: { claudeCode: { toolName: 'Grep' } }, rawInput: { pattern: 'x' } },
      { name: 'Grep', input: { pattern: 'x' } },
    ],
    [
      'the kind of a command',
      { kind: 'execute', rawInput: { command: ['bash', '-lc', 'ls'] } },
      { name: 'Bash', input: { command: 'ls' } },
    ],
    [
      'an MCP tool of codex-acp 2, which calls it a command',
      {
        kind: 'execute',
        title: 'mcp.lab.add',
        rawInput: { server: 'lab', tool: 'add', arguments: { left: 1 } },
        _meta: { is_mcp_tool_call: true },
      },
      { name: 'mcp_tool_call', input: { server: 'lab', tool: 'add', arguments: { left: 1 } } },
    ],
    ['the kind, without a command', { kind: 'execute', title: 'Bash' }, { name: 'Bash', input: {} }],
    [
      'a new file',
      { kind: 'edit', content: [{ type: 'diff', path: '/a', newText: 'x' }] },
      { name: 'Write', input: { file_path: '/a', content: 'x' } },
    ],
    [
      'a change',
      { kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: 'y', newText: 'x' }] },
      { name: 'Edit', input: { file_path: '/a', old_string: 'y', new_string: 'x' } },
    ],
    ['a place', { kind: 'read', locations: [{ path: '/a' }] }, { name: 'Read', input: { file_path: '/a' } }],
    ['nothing', { title: 'Look at it' }, { name: 'Look at it', input: {} }],
  ])('is identified by %s', (_name, update, expected) => {
    expect(call(update)).toMatchObject([{ type: 'tool_use', entity: 'c', ...expected }])
  })

  it('is emitted once unless something about it changes', () => {
    const { update } = reading()
    const call = { toolCallId: 'c', kind: 'execute' }
    const first = update({ sessionUpdate: 'tool_call', ...call, rawInput: { command: 'ls' } })
    const progress = update({ sessionUpdate: 'tool_call_update', ...call, status: 'in_progress' })
    const end = update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed', rawOutput: 'x' })
    const types = [first, progress, end].map((events) => events?.map(({ type }) => type))
    expect(types).toEqual([['tool_use'], ['status'], ['tool_result']])
    const more = update({ sessionUpdate: 'tool_call_update', ...call, rawInput: { command: 'ls -l' } })
    expect(more?.[0]).toMatchObject({ type: 'tool_use', input: { command: 'ls -l' } })
  })

  it('of Gemini has its name in the id, and its command in the title', () => {
    const { update } = reading(geminiTools)
    const id = 'write_file__write_file_1767225600001_0'
    const diff = { type: 'diff', path: '/a', oldText: '', newText: 'x' }
    const fromClient = update({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      kind: 'edit',
      title: 'W',
      content: [diff],
    })
    expect(fromClient).toMatchObject([
      { name: 'Write', native: { name: 'write_file' }, input: { file_path: '/a' } },
    ])
    const shell = { sessionUpdate: 'tool_call', toolCallId: 'run_shell_command-1767225600001' }
    expect(update({ ...shell, kind: 'execute', title: 'ls -l' })).toMatchObject([
      { name: 'Bash', input: { command: 'ls -l' } },
    ])
  })

  it.each<[string, object, object]>([
    [
      'words',
      { content: [{ type: 'content', content: { type: 'text', text: 'x' } }] },
      { status: 'success', content: 'x' },
    ],
    ['raw words', { rawOutput: 'x' }, { status: 'success', content: 'x' }],
    ['fields', { rawOutput: { stdout: 'x', exit_code: 2 } }, { status: 'error', content: 'x' }],
    ['an exit code', { rawOutput: { output: 'x', metadata: { exit: 1 } } }, { status: 'error' }],
    ['a failure', { status: 'failed', rawOutput: { error: 'No' } }, { status: 'error', content: 'No' }],
    ['a rule', { status: 'failed', rawOutput: 'Tool execution denied by policy.' }, { status: 'denied' }],
    [
      'a denial by another client',
      { status: 'failed', rawOutput: 'User refused permission to run tool' },
      { status: 'denied' },
    ],
    [
      'the end of patience',
      { status: 'failed', rawOutput: 'Exit code 143\nCommand timed out after 1s' },
      { status: 'timeout' },
    ],
    [
      'the end of Gemini’s patience',
      {
        kind: 'execute',
        rawOutput: 'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes',
      },
      { status: 'timeout' },
    ],
    [
      'a silent command that failed',
      { kind: 'execute', rawOutput: 'Command exited with code: 3' },
      { status: 'error' },
    ],
    [
      'the words of another tool',
      { kind: 'read', rawOutput: 'Command exited with code: 3' },
      { status: 'success' },
    ],
    [
      'a change',
      { content: [{ type: 'diff', path: '/a' }] },
      { status: 'success', display: [{ path: '/a' }] },
    ],
  ])('ends with %s', (_name, update, expected) => {
    expect(call({ status: 'completed', ...update })?.[1]).toMatchObject({ type: 'tool_result', ...expected })
  })
})

describe('a permission', () => {
  const ask = (session: ReturnType<typeof reading>) => {
    session.prompt('Hi', 1)
    return session.agent({
      id: 0,
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: {
          toolCallId: 'c',
          title: 'Change a',
          kind: 'edit',
          content: [
            { type: 'diff', path: '/a', oldText: 'y\n', newText: 'x\nz\n' },
            { type: 'content', content: { type: 'text', text: 'Because.' } },
          ],
        },
        options: [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' },
          { optionId: 'else', kind: 'hologram' },
        ],
      },
    })!
  }

  it('is requested with all displayed content, after its call', () => {
    expect(ask(reading())).toMatchObject([
      { type: 'tool_use', entity: 'c', name: 'Edit' },
      {
        type: 'ask',
        ask: {
          id: 'connection/ask/0',
          kind: 'permission',
          title: 'Change a',
          body: '/a\n-y\n+x\n+z\n\nBecause.',
          toolUse: 'c',
          options: [
            { id: 'yes', label: 'Allow', effect: 'allow' },
            { id: 'no', label: 'Reject', effect: 'deny' },
            { id: 'else', label: 'else', effect: 'other' },
          ],
        },
      },
    ])
  })

  it('is given, refused or withdrawn', () => {
    const answered = (outcome: object) => {
      const session = reading()
      const asked = ask(session).at(-1)!
      const fromClient = session.client({ id: 0, result: { outcome } })!
      const digest = asked.type === 'ask' ? asked.ask.digest : ''
      expect(fromClient[0]).toMatchObject({ type: 'answer', entity: 'connection/ask/0', answer: { digest } })
      const later = session.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' })
      return [...fromClient, later!.at(-1)!]
    }
    expect(answered({ outcome: 'selected', optionId: 'yes' })).toMatchObject([
      { answer: { option: 'yes', by: 'person' } },
      { type: 'tool_result', status: 'error' },
    ])
    expect(answered({ outcome: 'selected', optionId: 'no' })).toMatchObject([
      { answer: { option: 'no' } },
      { type: 'tool_result', entity: 'c', status: 'denied' },
      { status: 'denied' },
    ])
    expect(answered({ outcome: 'cancelled' })).toMatchObject([
      { answer: { by: 'cancel' } },
      { status: 'cancelled' },
      { status: 'cancelled' },
    ])
  })
})

it('joins the output that codex-acp 2 sends in chunks', () => {
  const { update } = reading()
  const change = (more: object) => update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more })
  update({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'execute', rawInput: { command: 'ls' } })
  for (const data of ['one\n', 'two\n']) change({ _meta: { terminal_output_delta: { data } } })
  const events = change({ status: 'completed', _meta: { terminal_exit: { exit_code: 2 } } })
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_result', status: 'error', content: 'one\ntwo\n' }),
  )
})
