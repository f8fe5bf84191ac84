import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fold, totalUsage } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agents as listAgents } from '../../../agents/registry.ts'
import { damagedLines } from '../../../agents/streams.test-data.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { reading } from './reading.test-data.ts'
import type { AcpMessage } from './read-update.ts'

const agents = new URL('../../../agents/', import.meta.url)
const recorded = listAgents()
  .filter(({ acp, testkit }) => acp && testkit)
  .flatMap(({ id: agent, acp }) =>
    readdirSync(new URL(`${agent}/fixtures/`, agents))
      .filter((version) => existsSync(new URL(`${agent}/fixtures/${version}/hello/acp.jsonl`, agents)))
      .flatMap((version) =>
        ['hello', 'shell', 'write-file'].map((scenario) => {
          const url = new URL(`${agent}/fixtures/${version}/${scenario}/acp.jsonl`, agents)
          return {
            name: `${agent} ${version} ${scenario}`,
            acp: acp!,
            lines: readFileSync(url, 'utf8').trimEnd().split('\n'),
          }
        }),
      ),
  )

/** Whether a message belongs to the protocol; a method of an agent's own is kept as unknown. */
const isOfProtocol = ({ message: { method } }: AcpMessage) =>
  typeof method !== 'string' || /^(?:(?:session|fs|terminal)\/|initialize$|authenticate$)/.test(method)

it.each(recorded.map(({ name, acp, lines }) => [name, acp, lines] as const))(
  'reads every message of %s',
  (name, { toClaude, nativeName }, lines) => {
    const { read } = reading(toClaude, nativeName ? { nativeName } : {})
    const messages = lines.map((line) => JSON.parse(line) as AcpMessage)
    const results = messages.map((message) => read(message))
    expect(messages.filter((message, at) => results[at] === undefined && isOfProtocol(message))).toEqual([])
    const events = results.flatMap((each) => each ?? [])
    expect(events[0]).toMatchObject({ type: 'session', cwd: '/home/user/work' })
    // Kimi sends the size of the context after its response.
    const done = events.findLast(({ type }) => type !== 'status')
    expect(done).toMatchObject({ type: 'done', ok: true, stopReason: 'end_turn' })
    const calls = fold(events)
      .flatMap(({ content }) => content)
      .filter(({ type }) => type === 'tool_use')
    const expected = name.includes('hello') ? [] : [{ name: name.includes('shell') ? 'Bash' : 'Write' }]
    expect(calls).toMatchObject(expected)
    if (name.includes('hello') && !/codex|claude|kimi|0\.27|0\.34/.test(name))
      expect(totalUsage(events).inputTokens).toBeGreaterThan(0)
  },
)

it('never throws', () => {
  const lines = recorded.flatMap((each) => each.lines)
  const check = fc.check(
    fc.property(damagedLines(lines), (damaged) => {
      const { client, agent } = reading()
      for (const line of damaged) {
        const { from, message } = JSON.parse(line) as { from: unknown; message: unknown }
        const record = (typeof message === 'object' && message !== null ? message : {}) as AgentRecord
        if (from === 'client') client(record)
        else agent(record)
      }
    }),
    { numRuns: 300 },
  )
  expect(check.failed ? check : undefined).toBeUndefined()
})

describe('a session', () => {
  it('has its folder, model, mode and version', () => {
    const { client, agent } = reading()
    client({ id: 0, method: 'initialize', params: {} })
    expect(agent({ id: 0, result: { agentInfo: { version: '1.2' } } })).toEqual([])
    client({ id: 1, method: 'session/new', params: { cwd: '/w' } })
    const configOptions = [
      { id: 'model', currentValue: 'm' },
      { id: 'mode', currentValue: 'build' },
    ]
    expect(agent({ id: 1, result: { sessionId: 's', configOptions } })).toMatchObject([
      { type: 'session', session: 's', entity: 's', cwd: '/w', model: 'm', version: '1.2', at: 7 },
      { type: 'status', status: 'mode', value: 'build' },
      // Messages before the first session.
      {
        status: 'starting',
        detail: 'initialize',
        origin: { key: '1c.0' },
        raw: { id: 0, method: 'initialize' },
      },
      { status: 'starting', detail: 'reply', origin: { key: '2a.0' } },
      { status: 'starting', detail: 'session/new', origin: { key: '3c.0' } },
    ])
  })

  it('is not emitted again when it is loaded', () => {
    const { client, agent, update, prompt } = reading()
    client({ id: 1, method: 'session/load', params: { sessionId: 's', cwd: '/w' } })
    const content = { type: 'text', text: 'old' }
    const replay = [{ type: 'status', detail: 'replay' }]
    expect(update({ sessionUpdate: 'user_message_chunk', content })).toMatchObject(replay)
    expect(update({ sessionUpdate: 'agent_message_chunk', content })).toMatchObject(replay)
    expect(update({ sessionUpdate: 'tool_call', toolCallId: 'c' })).toMatchObject(replay)
    expect(agent({ id: 1, result: null })).toMatchObject([{ type: 'session', entity: 's', resumed: true }])
    // Gemini sends most of it after its response.
    expect(update({ sessionUpdate: 'agent_message_chunk', content })).toMatchObject(replay)
    prompt('Hi', 2)
    expect(update({ sessionUpdate: 'agent_message_chunk', content })).toMatchObject([{ text: 'old' }])
  })

  it.each<[object, object]>([
    [
      { sessionUpdate: 'plan', entries: [1] },
      { status: 'plan', value: [1] },
    ],
    [
      { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
      { status: 'mode', value: 'plan' },
    ],
    [
      { sessionUpdate: 'config_option_update', configOptions: [{ id: 'model', currentValue: 'm' }] },
      { status: 'model', value: 'm' },
    ],
    [
      { sessionUpdate: 'session_info_update', title: 'A title' },
      { type: 'session', title: 'A title' },
    ],
    [
      { sessionUpdate: 'usage_update', used: 3, size: 9 },
      { status: 'working', value: { used: 3, size: 9 } },
    ],
    [
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Hi' } },
      { type: 'message', role: 'user' },
    ],
  ])('%j', (update, expected) => {
    expect(reading().update(update)).toMatchObject([expected])
  })

  it.each<object>([
    { sessionUpdate: 'hologram' },
    { sessionUpdate: 'tool_call' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'image' } },
    { sessionUpdate: 'config_option_update' },
  ])('ignores %j', (update) => {
    expect(reading().update(update)).toBeUndefined()
  })

  it('keeps a notification before the first session', () => {
    const { agent, client } = reading()
    expect(agent({ method: '_vendor/notice', params: {} })).toEqual([])
    client({ id: 1, method: 'session/new', params: { cwd: '/w' } })
    expect(agent({ id: 1, result: { sessionId: 's' } })).toContainEqual(
      expect.objectContaining({ type: 'unknown', what: '_vendor/notice' }),
    )
  })

  it('takes a word that every object has for no word that it knows', () => {
    const { agent, prompt } = reading()
    prompt('Hi', 1)
    const options = [{ optionId: 'a', name: 'A', kind: 'constructor' }]
    const toolCall = { toolCallId: 'c', kind: 'toString', title: 'Look', rawInput: {} }
    const params = { sessionId: 's', toolCall, options }
    expect(agent({ id: 0, method: 'session/request_permission', params })?.at(-1)).toMatchObject({
      type: 'ask',
      ask: { title: 'Look', options: [{ id: 'a', effect: 'other' }] },
    })
  })

  it('ignores an unexpected response and an unknown method', () => {
    const { agent, prompt } = reading()
    prompt('Hi', 1)
    expect(agent({ id: 9, result: {} })).toBeUndefined()
    expect(agent({ id: 9, method: 'hologram/show' })).toBeUndefined()
    expect(agent({ id: 9, method: 'fs/read_text_file', params: { sessionId: 's' } })).toMatchObject([
      { type: 'status', status: 'working', detail: 'fs/read_text_file' },
    ])
  })
})

describe('a turn', () => {
  const text = (words: string) => ({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: words },
  })

  it('is split into segments by calls and messages', () => {
    const { prompt, update, agent } = reading()
    const events = [
      prompt('Hi', 1),
      update(text('One')),
      update(text(', two.')),
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'bash', status: 'completed' }),
      update(text('Three.')),
      update({ ...text('Four.'), messageId: 'm1' }),
      update({ ...text('Five.'), messageId: 'm2' }),
      agent({ id: 1, result: { stopReason: 'end_turn' } }),
    ].flatMap((each) => each ?? [])
    const offsets = events.flatMap((event) => (event.type === 'text' ? [[event.entity, event.offset]] : []))
    expect(offsets).toEqual([
      ['connection/1/0/text', 0],
      ['connection/1/0/text', 3],
      ['connection/1/1/text', 0],
      ['connection/1/1/text', 6],
      ['connection/1/2/text', 0],
    ])
  })

  it('does not repeat its prompt', () => {
    const { prompt, update } = reading()
    prompt('Hi', 1)
    expect(
      update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Hi' } }),
    ).toMatchObject([{ type: 'status', detail: 'echo' }])
  })

  it('adds the tokens that come with each answer of the model', () => {
    const { prompt, update, agent } = reading()
    const spend = (inputTokens: number) => {
      const _meta = { usage: { inputTokens, outputTokens: 1 } }
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '' }, _meta })
    }
    prompt('first', 1)
    spend(5)
    spend(7)
    expect(agent({ id: 1, result: { stopReason: 'end_turn' } })).toMatchObject([
      { type: 'usage', scope: 'turn', usage: { inputTokens: 12, outputTokens: 2 } },
      { type: 'done' },
    ])
    prompt('second', 2)
    expect(agent({ id: 2, result: { stopReason: 'end_turn' } })).toMatchObject([{ type: 'done' }])
  })

  it('ends with tokens, with an error or by interruption', () => {
    const end = (reply: object) => {
      const { prompt, agent } = reading()
      prompt('Hi', 1)
      return agent({ id: 1, ...reply })
    }
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedReadTokens: 3 }
    expect(end({ result: { stopReason: 'end_turn', usage } })).toMatchObject([
      { type: 'usage', scope: 'turn', usage: { inputTokens: 5, cachedTokens: 3 } },
      { type: 'done', ok: true },
    ])
    expect(end({ result: { stopReason: 'cancelled' } })).toMatchObject([{ type: 'done', ok: false }])
    expect(
      end({ error: { code: -32603, message: 'Internal error', data: { details: 'Rate limit' } } }),
    ).toMatchObject([
      { type: 'error', message: 'Internal error: Rate limit', code: 'rate_limit' },
      { type: 'done', ok: false },
    ])
  })

  it('accepts files, links and unknown content', () => {
    const { client } = reading()
    const blocks = [
      { type: 'image', mimeType: 'image/png', data: 'AA==' },
      { type: 'resource_link', uri: 'file:///a.pdf', name: 'a.pdf', mimeType: 'application/pdf' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'words' } },
      { type: 'resource', resource: { blob: 'AA==' } },
      { type: 'hologram' },
    ]
    const [event] = client({ id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: blocks } })!
    expect(event).toMatchObject({
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
        { type: 'document', name: 'a.pdf', source: { type: 'url', url: 'file:///a.pdf' } },
        { type: 'text', text: 'file:///a.txt\nwords' },
        { type: 'document', source: { type: 'base64' } },
        { type: 'text', text: '{"type":"hologram"}' },
      ],
    })
  })

  it('succeeds if the agent reports a refusal as an error', () => {
    const { prompt, agent } = reading(undefined, { refusal: /\[diagnostic\] tool_use/ })
    prompt('Hi', 1)
    const error = { code: -32603, message: 'Internal error', data: { details: '[diagnostic] tool_use' } }
    expect(agent({ id: 1, error })).toMatchObject([{ type: 'done', ok: true, stopReason: 'end_turn' }])
    prompt('Hi', 2)
    expect(agent({ id: 2, error: { code: -32603, message: 'broken' } })).toMatchObject([
      { type: 'error', severity: 'error', message: 'broken' },
      { type: 'done', ok: false },
    ])
  })

  it('has failed when the agent sends its error as text without a message id', () => {
    const { prompt, agent, update } = reading(undefined, { failureText: /^exceeded retry limit/ })
    const failure = 'exceeded retry limit, last status: 429 Too Many Requests'
    prompt('Hi', 1)
    expect(update({ ...text(failure), messageId: 'm' })).toMatchObject([{ type: 'text' }])
    expect(agent({ id: 1, result: { stopReason: 'end_turn' } })).toMatchObject([{ type: 'done', ok: true }])
    prompt('Hi', 2)
    expect(update(text(`${failure}\n\n`))).toMatchObject([
      { type: 'error', code: 'rate_limit', severity: 'error', message: failure },
    ])
    expect(agent({ id: 2, result: { stopReason: 'end_turn' } })).toMatchObject([{ type: 'done', ok: false }])
    prompt('Hi', 3)
    expect(agent({ id: 3, result: { stopReason: 'end_turn' } })).toMatchObject([{ type: 'done', ok: true }])
  })

  it('keeps the agent’s own messages out of the model’s text', () => {
    const { update } = reading(undefined, {
      remarks: /^Model metadata .* not found|^\[MODE_UPDATE\] (?<mode>\S+)/,
    })
    const remark = 'Model metadata for `x` not found.'
    expect(update(text(remark))).toMatchObject([{ type: 'error', severity: 'warning', message: remark }])
    expect(update(text('[MODE_UPDATE] yolo'))).toMatchObject([
      { type: 'status', status: 'mode', value: 'yolo' },
    ])
    expect(update(text('Model metadata'))).toMatchObject([{ type: 'text' }])
  })

  describe('whose permission requests have only a part of the input', () => {
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'ever', name: 'Always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ]
    const asking = () => {
      const readAskedInput = (_: AgentRecord, call: AgentRecord) => call['whole']
      const { agent, update, prompt } = reading(undefined, { nativeName: () => 'Bash', readAskedInput })
      prompt('Hi', 1)
      const params = { sessionId: 's', toolCall: { toolCallId: 'c', title: 'Run a…' }, options }
      return { update, ask: () => agent({ id: 0, method: 'session/request_permission', params }) }
    }

    it('asks with the whole input', () => {
      const { update, ask } = asking()
      const whole = { command: 'a && b' }
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Run', whole })
      expect(ask()?.at(-1)).toMatchObject({
        type: 'ask',
        ask: { tool: 'Bash', input: whole, toolUse: 'c', options: [{}, {}, {}] },
      })
    })

    it('offers only to deny what it does not know', () => {
      const { update, ask } = asking()
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Run', rawInput: { command: 'other' } })
      const [event, ...more] = ask()!
      expect(more).toEqual([])
      expect(event).toMatchObject({ type: 'ask', ask: { title: 'Run a…', options: [{ effect: 'deny' }] } })
      for (const name of ['input', 'tool', 'toolUse']) expect(event).not.toHaveProperty(`ask.${name}`)
    })
  })
})
