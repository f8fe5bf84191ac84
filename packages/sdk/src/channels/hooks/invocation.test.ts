import { describe, expect, it } from 'vitest'
import { findAgent } from '../../agents/registry.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isToolPayload, readInvocation } from './invocation.ts'

const gemini = findAgent('gemini')!
const payload = {
  session_id: 'abc-123',
  transcript_path: '/home/me/.gemini/tmp/work/chats/session-abc.jsonl',
  cwd: '/home/me/work',
  hook_event_name: 'AfterTool',
  timestamp: '2026-02-09T10:00:00Z',
  tool_name: 'write_file',
  tool_input: { file_path: '/tmp/test.go', content: 'package main' },
  tool_response: { llmContent: 'File written', returnDisplay: 'File written', error: '' },
  mcp_context: {},
}
const read = (more: AgentRecord) => readInvocation(gemini, { ...payload, ...more })
const shell = (text: string) =>
  read({ tool_name: 'run_shell_command', tool_response: { llmContent: text, returnDisplay: text } })

describe('Gemini CLI as a source, by the cases of its plan', () => {
  it('1. name and description', () => {
    expect(gemini).toMatchObject({ id: 'gemini', title: 'Gemini CLI', detection: { command: 'gemini' } })
  })

  it('2. a full payload: all fields are mapped, and the others kept', () => {
    expect(read({})).toEqual({
      tool: 'write_file',
      session: 'abc-123',
      input: payload.tool_input,
      cwd: '/home/me/work',
      extra: {
        transcript_path: payload.transcript_path,
        hook_event_name: 'AfterTool',
        timestamp: payload.timestamp,
        tool_response: payload.tool_response,
        mcp_context: {},
      },
    })
  })

  it('3. a missing tool_name is an error', () => {
    expect(() => read({ tool_name: undefined })).toThrow('The payload of Gemini CLI names no tool')
  })

  it('4. an empty tool_name is an error', () => {
    expect(() => read({ tool_name: '' })).toThrow('The payload of Gemini CLI names no tool')
  })

  it('5. an error is found as object, as text and as the exit code of a command', () => {
    expect(
      read({ tool_response: { error: { message: 'No such file', type: 'file_not_found' } } }).error,
    ).toBe('No such file')
    expect(read({ tool_response: { error: 'No such file' } }).error).toBe('No such file')
    const failed = 'Output: oops\nExit Code: 3\nProcess Group PGID: 7'
    expect(shell(failed).error).toBe(failed)
  })

  it('6. success has no error', () => {
    expect(read({})).not.toHaveProperty('error')
    expect(read({ tool_response: { llmContent: 'x' } })).not.toHaveProperty('error')
    expect(shell('Output: fine\nProcess Group PGID: 7')).not.toHaveProperty('error')
  })

  it('7. session_id is the session', () => {
    expect(read({ session_id: 'other' }).session).toBe('other')
    expect(read({ session_id: undefined })).not.toHaveProperty('session')
  })

  it('8. unknown fields are kept, and known ones are not repeated', () => {
    const { extra } = read({ novel: { deep: [1] } })
    expect(extra).toMatchObject({ novel: { deep: [1] } })
    for (const known of ['tool_name', 'session_id', 'tool_input', 'cwd'])
      expect(extra).not.toHaveProperty(known)
  })
})

it.each<[string, AgentRecord, object]>([
  ['gemini', { tool_name: 'glob', tool_response: { error: 'No' } }, { tool: 'glob', error: 'No', extra: {} }],
  [
    'claude',
    { hook_event_name: 'PostToolUseFailure', tool_name: 'Bash', tool_use_id: 'c', error: 'Exit code 1' },
    { tool: 'Bash', error: 'Exit code 1', extra: { tool_use_id: 'c' } },
  ],
  ['claude', { tool_name: 'Bash', error: 'Exit code 1' }, { tool: 'Bash', error: 'Exit code 1' }],
  ['codex', { tool_name: 'Bash', tool_input: { command: 'ls' } }, { tool: 'Bash', input: { command: 'ls' } }],
  ['kiro', { tool_name: 'fs_read', tool_response: { success: false, result: ['No'] } }, { error: 'No' }],
  ['kiro', { tool_name: 'fs_read', tool_response: { success: false } }, { error: 'error' }],
  [
    'opencode',
    {
      hook_event_name: 'tool.execute.after',
      session_id: 's',
      input: { tool: 'bash', callID: 'c', args: { command: 'ls' } },
      output: { output: 'x', metadata: { exit: 2 } },
    },
    { tool: 'bash', session: 's', input: { command: 'ls' }, error: 'Exit code 2\nx', extra: { output: {} } },
  ],
])('%s: %j', (agent, given, expected) => {
  expect(readInvocation(findAgent(agent)!, given)).toMatchObject(expected)
})

it.each<[AgentRecord, boolean]>([
  [{ hook_event_name: 'AfterTool' }, true],
  [{ hook_event_name: 'PostToolUseFailure' }, true],
  [{ hook_event_name: 'preToolUse' }, true],
  [{ hook_event_name: 'tool.execute.before' }, true],
  [{}, true],
  [{ hook_event_name: 'SessionStart' }, false],
  [{ hook_event_name: 'BeforeToolSelection' }, false],
  [{ hook_event_name: 'PostToolBatch' }, false],
  [{ type: 'agent-turn-complete' }, false],
])('%j is about a tool: %s', (given, expected) => {
  expect(isToolPayload(given)).toBe(expected)
})
