import { type Event, fold, totalUsage } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { readLines, seen } from '../claude/lines.test-data.ts'
import { getCalls } from '../streams.test-data.ts'
import { transcripts } from './transcripts.ts'

describe('transcripts of older versions', () => {
  const line = (record: object) => JSON.stringify(record)
  const item = (payload: object) =>
    line({ timestamp: '2025-09-01T00:00:00.000Z', type: 'response_item', payload })
  const event = (payload: object) =>
    line({ timestamp: '2025-09-01T00:00:00.000Z', type: 'event_msg', payload })
  const meta = line({
    timestamp: '2025-09-01T00:00:00.000Z',
    type: 'session_meta',
    payload: { id: 's', cwd: '/w', cli_version: '0.50.0' },
  })
  const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const assistant = (text: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  })
  const from = (...lines: string[]) => readLines(transcripts, '/x/old.jsonl', lines).flat()

  it('have items without a payload', () => {
    const lines = [
      line({ id: 's', timestamp: '2025-06-01T00:00:00.000Z', instructions: null }),
      line(user('<environment_context>\n<cwd>/w</cwd>\n</environment_context>')),
      line({ record_type: 'state' }),
      line(user('List it.')),
      line({ type: 'reasoning', id: 'r', summary: [], content: null, encrypted_content: 'x' }),
      line({
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["bash","-lc","ls"],"workdir":"/w"}',
        call_id: 'c',
      }),
      line({
        type: 'function_call_output',
        call_id: 'c',
        output: '{"output":"a.txt\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}',
      }),
      line(assistant('There is one.')),
    ]
    const events = from(...lines)
    expect(events.every(({ session }) => session === 's')).toBe(true)
    expect(seen(fold(events))).toEqual([
      [undefined, 'user', 'List it.'],
      [undefined, 'assistant', 'Bash', { command: 'ls' }],
      [undefined, 'assistant', 'error', 'Exit code 2\na.txt\n'],
      [undefined, 'assistant', 'There is one.'],
    ])
    expect(transcripts.isOwnRecord(JSON.parse(lines[0]!) as Record<string, unknown>)).toBe(true)
  })

  it('have tokens as a sum, which may be repeated', () => {
    const count = (total: number, last: number) =>
      event({
        type: 'token_count',
        info: {
          total_token_usage: { input_tokens: total, output_tokens: 1 },
          last_token_usage: { input_tokens: last, output_tokens: 1 },
        },
      })
    const lines = [meta, item(user('Go.')), item(assistant('One.')), count(5, 5), count(5, 5), count(12, 7)]
    const events = from(...lines, event({ type: 'token_count', info: null }))
    expect(totalUsage(events)).toMatchObject({ inputTokens: 12, outputTokens: 2 })
    expect(fold(events).at(-1)).toMatchObject({ usage: { inputTokens: 5 } })
  })

  it('have withdrawn turns', () => {
    const events = from(
      meta,
      item(user('One.')),
      item(assistant('1')),
      item(user('Two.')),
      item(assistant('2')),
      event({ type: 'thread_rolled_back', num_turns: 1 }),
      item(user('Three.')),
    )
    expect(seen(fold(events))).toEqual([
      [undefined, 'user', 'One.'],
      [undefined, 'assistant', '1'],
      [undefined, 'user', 'Three.'],
    ])
  })

  it('have separate events for the ends of calls', () => {
    const call = (id: string, name: string, input: object) =>
      item({ type: 'function_call', name, arguments: JSON.stringify(input), call_id: id })
    const output = (id: string, text: unknown) =>
      item({ type: 'function_call_output', call_id: id, output: text })
    const events = from(
      meta,
      item(user('Go.')),
      call('a', 'shell_command', { command: 'make' }),
      event({
        type: 'exec_command_end',
        call_id: 'a',
        aggregated_output: 'done',
        exit_code: 0,
        status: 'completed',
      }),
      output('a', 'Exit code: 0\nWall time: 1 seconds\nOutput:\ndone'),
      call('b', 'docs__find', { q: 1 }),
      event({ type: 'mcp_tool_call_end', call_id: 'b', result: { Err: 'user rejected MCP tool call' } }),
      item({
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: 'c',
        input: patch('*** Delete File: old.txt'),
      }),
      event({
        type: 'patch_apply_end',
        call_id: 'c',
        stdout: 'Done',
        stderr: '',
        success: false,
        changes: {},
      }),
      call('d', 'view_image', { path: 'dot.png' }),
      output('d', [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }]),
      item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } }),
      item({
        type: 'local_shell_call',
        call_id: 'e',
        status: 'completed',
        action: { type: 'exec', command: ['ls', 'a b'] },
      }),
      output('e', { content: 'no', success: false }),
      call('f', 'exec_command', { cmd: 'sleep 9' }),
      output('f', 'Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n'),
      call('g', 'exec_command', { cmd: 'rm x' }),
      output('g', 'exec_command failed: rejected by user'),
    )
    expect(getCalls(fold(events))).toEqual([
      ['Bash', 'success'],
      ['mcp__docs__find', 'denied'],
      ['Edit', 'error'],
      ['Read', 'success'],
      ['WebSearch', 'success'],
      ['Bash', 'error'],
      ['Bash', 'success'],
      ['Bash', 'denied'],
    ])
    const results = events.filter((each) => each.type === 'tool_result')
    expect(results.find(({ entity }) => entity === 'a')).toMatchObject({ content: 'done' })
    expect(results.find(({ entity }) => entity === 'd')).toMatchObject({
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
    })
    expect(callForms(events)).toContainEqual([
      'Edit',
      { file_path: '/w/old.txt', changes: [{ path: '/w/old.txt', kind: 'delete' }] },
    ])
    expect(callForms(events)).toContainEqual(['Bash', { command: "ls 'a b'" }])
  })

  it('distinguishes prompts of the user from added context', () => {
    const words = (text: string) => fold(from(meta, item(user(text))))[0]
    expect(words('# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>')).toMatchObject({
      context: true,
    })
    expect(words('<b>bold</b>')).not.toHaveProperty('context')
    expect(
      words('# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nDo it.\n'),
    ).toMatchObject({
      content: [{ type: 'text', text: 'Do it.' }],
    })
    const images = from(
      meta,
      item({
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: '<image name=[Image #1]>' },
          { type: 'input_image', image_url: 'https://example.org/a.png' },
          { type: 'input_text', text: '</image>' },
          { type: 'input_text', text: 'What is it?' },
        ],
      }),
    )
    expect(fold(images)[0]?.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'text', text: 'What is it?' },
    ])
  })

  it('reads errors, warnings, retries and titles', () => {
    const events = from(
      meta,
      event({ type: 'error', message: '{"error":{"message":"No quota.","type":"insufficient_quota"}}' }),
      event({ type: 'warning', message: 'Careful.' }),
      event({ type: 'stream_error', message: 'Reconnecting 1/5' }),
      event({ type: 'thread_name_updated', thread_name: 'A name' }),
    )
    expect(events.slice(1)).toMatchObject([
      { type: 'error', message: 'No quota.', code: 'quota', severity: 'error' },
      { type: 'error', message: 'Careful.', severity: 'warning' },
      { type: 'status', status: 'retrying' },
      { type: 'session', title: 'A name' },
    ])
  })

  it('does not read unknown records', () => {
    const unknown = [
      event({ type: 'hologram' }),
      item({ type: 'hologram' }),
      line({ type: 'hologram' }),
      line({}),
    ]
    expect(from(meta, ...unknown)).toHaveLength(1)
  })
})

function callForms(events: readonly Event[]): unknown[] {
  return events.flatMap((event) => (event.type === 'tool_use' ? [[event.name, event.input]] : []))
}

function patch(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
}
