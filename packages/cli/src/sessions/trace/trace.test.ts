import { channels } from '@remora/protocol/plain'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome, hello } from '../home.test-data.ts'
import { trace } from '../verbs.ts'
import { began, fill, recordedWire, wireEvents } from './wired.test-data.ts'

// Times are printed in local time.
process.env['TZ'] = 'UTC'

let home: TestHome
beforeEach(() => void (home = new TestHome()))
afterEach(() => home[Symbol.dispose]())

const recorded = [
  ['gemini', '0.61.0'],
  ['gemini', '0.34.0'],
  ['gemini', '0.27.4'],
  ['claude', '2.1.197'],
  ['codex', '0.166.0'],
  ['opencode', '1.18.33'],
] as const

describe('remora trace', () => {
  it.each(recorded)('prints every message of %s %s unchanged and in order', async (agent, version) => {
    const wire = recordedWire(agent, version, 'shell')
    await fill(home.path, wireEvents(agent, wire))
    const { code, out } = await home.remora(['trace', 'latest', '--json'])
    expect(code).toBe(0)
    const printed = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(printed).toEqual(
      wire.map((message, index) => ({ at: new Date(began + index * 100).toISOString(), ...message })),
    )
  })

  it('prints sender, request and duration of each message', async () => {
    await fill(home.path, wireEvents('gemini', recordedWire('gemini', '0.61.0', 'shell')))
    const { out } = await home.remora(['trace', 'latest'])
    expect(out).toBe(`Run the command.
Gemini · 00000001-0000-4000-8000-000000000000
→ to the agent, ← from the agent

Connection connection-1
08:00:00.000 →    0 initialize  protocol 1
08:00:00.100 ←    0 initialize  100 ms  Gemini CLI 0.61.0, protocol 1, 4 login methods
08:00:00.200 →    1 session/new  /home/user/work
08:00:00.300 ←    1 session/new  100 ms  mode default, model auto, 00000001-0000-4000-8000-000000000000
08:00:00.400 ←      available_commands_update  20 commands
08:00:00.500 →    2 session/prompt  "Run the command."
08:00:00.600 ←    0 session/request_permission  touch made.txt && echo shell-out (proceed_always, proceed_once, cancel)
08:00:00.700 →    0 session/request_permission  100 ms  proceed_once
08:00:00.800 ←      tool_call_update  completed, execute, touch made.txt && echo shell-out
08:00:00.900 ←      agent_message_chunk  30 characters: "The command printed shell-out."
08:00:01.000 ←    2 session/prompt  500 ms  end_turn, 258 in, 34 out
`)
  })

  it('fits the width of the terminal', async () => {
    await fill(home.path, wireEvents('gemini', recordedWire('gemini', '0.61.0', 'shell')))
    const { out } = await home.remora(['trace', 'latest', '--color', 'never'], {
      terminal: true,
      columns: 60,
    })
    const lines = out.split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60)
    expect(lines).toContain('08:00:00.600 ←    0 session/request_permission  touch made…')
  })

  it('joins the chunks of a text and masks secrets', async () => {
    const key = `sk-ant-${'aB3x'.repeat(6)}`
    const sessionId = 's'
    const chunk = (text: string) => ({
      from: 'agent' as const,
      message: {
        method: 'session/update',
        params: {
          sessionId,
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
        },
      },
    })
    await fill(
      home.path,
      wireEvents('gemini', [
        { from: 'client', message: { id: 1, method: 'session/new', params: { cwd: '/home/me' } } },
        { from: 'agent', message: { id: 1, result: { sessionId } } },
        ...[`The key is ${key.slice(0, 12)}`, key.slice(12), '. \u001B[2J'].map(chunk),
        { from: 'client', message: { id: 2, method: 'session/cancel', params: { sessionId } } },
        { from: 'agent', message: { id: 2, error: { code: -32603, message: `No: ${key}` } } },
      ]),
    )
    const { out } = await home.remora(['trace', 'latest'])
    expect(out).toContain('agent_message_chunk  ×3, 48 characters: "The key is [secret]."\n')
    expect(out).toContain('session/cancel  100 ms  error -32603: No: [secret]\n')
    expect(out).not.toContain(key.slice(12))
    const full = await home.remora(['trace', 'latest', '--full', '--method', 'session/cancel'])
    expect(full.out).toContain(`"message": "No: ${key}"`)
  })

  it('prints only the chosen methods, with their replies', async () => {
    await fill(home.path, wireEvents('gemini', recordedWire('gemini', '0.61.0', 'shell')))
    const ids = async (glob: string) =>
      (await home.remora(['trace', 'latest', '--json', '--method', glob])).out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { message: { id?: number; method?: string } }).message)
        .map(({ id, method }) => method ?? id)
    expect(await ids('session/request_*')).toEqual(['session/request_permission', 0])
    expect(await ids('tool_call*')).toEqual(['session/update'])
    expect(await ids('nothing')).toEqual([])
  })

  it('lists the known methods if none matches', async () => {
    await fill(home.path, wireEvents('gemini', recordedWire('gemini', '0.61.0', 'hello')))
    expect(await home.remora(['trace', 'latest', '--method', 'zzz'])).toMatchObject({
      code: 0,
      out: '',
      err:
        'No message in this session matches --method zzz\n' +
        '  Available: initialize, session/new, available_commands_update, session/prompt, agent_message_chunk\n',
    })
    // The chunks of a text are printed together after the last one.
    expect((await home.remora(['trace', 'latest', '--method', 'agent_*'])).err).toBe('')
  })

  it('shows the two connections of a session', async () => {
    const wire = recordedWire('gemini', '0.61.0', 'hello')
    const first = wireEvents('gemini', wire)
    const second = wireEvents('gemini', wire, 'connection-2')
    await fill(home.path, [...first, ...second.map((event) => ({ ...event, at: event.at + 60_000 }))])
    const { out } = await home.remora(['trace', 'latest'])
    expect(out.match(/^Connection .*$/gm)).toEqual(['Connection connection-1', 'Connection connection-2'])
    expect(out.match(/initialize {2}protocol 1$/gm)).toHaveLength(2)
  })

  it('follows new messages', async () => {
    const wire = recordedWire('gemini', '0.61.0', 'hello')
    const events = wireEvents('gemini', wire)
    const last = events.findLastIndex(({ raw }) => raw !== undefined)
    await fill(home.path, events.slice(0, last))
    const stop = new AbortController()
    let out = ''
    let more: Promise<void> | undefined
    const { code } = await home.remora(['trace', 'latest', '--follow', '--json'], {
      stopped: () => stop.signal,
      out: (text) => {
        out += text
        const lines = out.split('\n').length - 1
        if (lines === wire.length - 1) more = fill(home.path, events.slice(last))
        if (lines === wire.length) stop.abort('SIGINT')
      },
    })
    await more
    expect(code).toBe(130)
    expect(out.split('\n').length - 1).toBe(wire.length)
  })

  it('names the channels of a session without ACP, and prints their records', async () => {
    await home.add(hello)
    const none = await home.remora(['trace', hello.id])
    expect(none).toMatchObject({ code: 0, out: '' })
    expect(none.err).toBe(
      'No ACP messages recorded for this session. Recorded: transcripts (7 records).\n' +
        '  ACP messages are recorded by remora chat, remora acp, or connect() with a sink.\n' +
        `  Show those records: remora sessions trace ${hello.id} --channel transcripts\n`,
    )
    const { out } = await home.remora(['trace', hello.id, '--channel', 'transcripts'])
    expect(out).toMatch(/^2026-10-01 00:00 message {2}\{"parentUuid":null,/m)
    const records = (await home.remora(['trace', hello.id, '--channel', 'transcripts', '--json'])).out
    expect(records.trimEnd().split('\n')).toHaveLength(7)
    const hooks = await home.remora(['trace', hello.id, '--channel', 'hooks'])
    expect(hooks.err).toContain('No hooks records for this session. Recorded: transcripts (7 records).\n')
    const wrong = await home.remora(['trace', hello.id, '--channel', 'hooks', '--method', 'x'])
    expect(wrong).toMatchObject({ code: 2, out: '' })
  })

  it('accepts every channel', () => {
    expect(trace.options['channel']!.choices).toEqual(channels)
  })
})
