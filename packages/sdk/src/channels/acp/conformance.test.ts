import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Event, Event as EventSchema, type EventOf } from '@remora/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gemini } from '../../agents/gemini/index.ts'
import { connect } from '../../api/connect.ts'
import { fakeAgent } from './fake-agent/command.test-data.ts'
import { collectEvents, talk } from './session.test-data.ts'
import { tool } from './tools/tool.ts'

// What real agents do not do on demand. Those that do are held to the contract in the testkit.

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-conformance-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const typed = <Type extends Event['type']>(events: readonly Event[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type)

/** All events of one prompt: good ones, from one `session` to one `done`. */
async function promptEvents(words: string, behaviour: Record<string, unknown> = {}): Promise<Event[]> {
  await using talking = await talk({ permissions: 'auto' }, {}, behaviour)
  const events = await collectEvents(talking.session.prompt(words))
  for (const event of events) EventSchema.parse(event)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['session', 'done'])
  expect(typed(events, 'session')).toHaveLength(1)
  expect(typed(events, 'done')).toHaveLength(1)
  return events
}

const joinText = (events: readonly Event[]): string =>
  typed(events, 'text')
    .map(({ text }) => text)
    .join('')

/** The lines that an agent got from us. */
async function sent(file: string): Promise<{ method?: string; params: Record<string, never> }[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as never)
}

// The names are those of the classes of tests that the first adapter for Gemini had.
describe('the eleven compatibility tests with Gemini', () => {
  it('TestGeminiHandshakeWithAuthMethods: sign-in methods are listed and none is used', async () => {
    const record = join(folder, 'handshake')
    const authMethods = [
      { id: 'oauth-personal', name: 'Log in with Google', description: null },
      { id: 'gemini-api-key', name: 'Gemini API key', _meta: { 'api-key': { provider: 'google' } } },
      { unheard: 'of' },
    ]
    await using talking = await talk({}, {}, { authMethods, record })
    expect(talking.connection.authMethods).toEqual([
      { id: 'oauth-personal', name: 'Log in with Google' },
      { id: 'gemini-api-key', name: 'Gemini API key' },
    ])
    expect(await talking.session.prompt('say hi').result).toMatchObject({ ok: true, text: 'hi' })
    const methods = (await sent(record)).map(({ method }) => method)
    expect(methods).toEqual(['initialize', 'session/new', 'session/prompt'])
  })

  it('TestTextContentBlockExtraction: the text of a block is the message', async () => {
    const events = await promptEvents('say two  words')
    expect(typed(events, 'text')).toMatchObject([{ offset: 0, text: 'two  words' }])
  })

  it('TestImageContentBlockFallback: an image in a message is an image', async () => {
    const events = await promptEvents('say before\nsay-image\nsay after')
    expect(joinText(events)).toBe('beforeafter')
    expect(typed(events, 'media')).toMatchObject([
      { kind: 'image', source: { media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ])
  })

  it('TestUnhandledUpdateTypesDontCrash: unknown kinds are kept, and those of Gemini are known', async () => {
    const updates = [
      { sessionUpdate: 'usage_update', used: 10, size: 100 },
      { sessionUpdate: 'plan', entries: [] },
      { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'memory' }] },
      { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' },
      { sessionUpdate: 'config_option_update', configOptions: [{ id: 'model', currentValue: 'm' }] },
      { sessionUpdate: 'session_info_update', title: 'A title' },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } },
      { sessionUpdate: 'agent_message_chunk' },
      { nothing: 'at all' },
    ]
    const events = await promptEvents('say hi\nunknown-update', { before: { 'session/prompt': updates } })
    expect(joinText(events)).toBe('hi')
    expect(typed(events, 'done')).toMatchObject([{ ok: true }])
    expect(typed(events, 'unknown').map(({ what }) => what)).toEqual([
      'dance',
      'agent_message_chunk',
      'agent_message_chunk',
      'session/update',
    ])
    expect(typed(events, 'unknown')[0]!.raw).toMatchObject({
      params: { update: { steps: ['left', 'right'] } },
    })
    const states = typed(events, 'status').map(({ status }) => status)
    expect(states).toEqual(expect.arrayContaining(['plan', 'commands', 'mode', 'model']))
  })

  it('TestUsageUpdateTimestampsLastUpdate: every update resets the idle time', async () => {
    const beat = Array.from({ length: 8 }, () => 'wait 500\nusage update').join('\n')
    await using talking = await talk({ stuck: { afterMs: 2_500, act: 'cancel' } })
    expect(await talking.session.prompt(`${beat}\nsay alive`).result).toMatchObject({
      ok: true,
      text: 'alive',
    })
    expect(await talking.session.prompt('wait\nsay late').result).toMatchObject({
      ok: false,
      error: { code: 'timeout_idle' },
    })
  })

  it('TestMcpHttpServerTypeField: the server of our tools has type http', async () => {
    const record = join(folder, 'server')
    const clock = tool({ name: 'clock', description: 'The time', input: z.object({}), run: () => 'noon' })
    await using talking = await talk({}, { tools: [clock] }, { record })
    expect((await talking.session.prompt('call-tool clock {}').result).text).toBe('got noon;')
    const opening = (await sent(record)).find(({ method }) => method === 'session/new')
    expect(opening?.params['mcpServers']).toEqual([
      {
        type: 'http',
        name: 'remora',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
        headers: [{ name: 'Authorization', value: expect.stringMatching(/^Bearer \S{20,}$/) }],
      },
    ])
  })

  it('TestGeminiConfigDefaults: it is started with the flag that its version supports', () => {
    const { acp } = gemini
    expect(acp.invocation('0.61.0').args).toEqual(['--acp'])
    expect(acp.invocation('0.27.4').args).toEqual(['--experimental-acp'])
    expect(acp.invocation('0.61.0', { model: 'gemini-2.5-pro' }).args).toEqual(
      expect.arrayContaining(['--acp', 'gemini-2.5-pro']),
    )
  })

  it('TestRealToolCallIdsTrackedCorrectly: ids are kept, and generated if missing', async () => {
    const events = await promptEvents('tool write a.txt\nempty-tool-id\nempty-tool-id')
    const calls = new Set(typed(events, 'tool_use').map(({ entity }) => entity))
    const results = typed(events, 'tool_result')
    expect(calls.size).toBe(3)
    expect([...calls][0]).toBe('call-1')
    expect(calls).not.toContain('')
    expect(results.map(({ entity }) => entity)).toEqual([...calls])
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  })

  it('TestCachedReadTokensMapped: all tokens are reported, in the protocol’s or Gemini’s format', async () => {
    await using talking = await talk()
    expect((await talking.session.prompt('say hi\nusage 1200').result).usage).toMatchObject({
      totalTokens: 1200,
      inputTokens: 1060,
      outputTokens: 100,
      thoughtTokens: 40,
      cachedTokens: 30,
      cacheWriteTokens: 20,
    })
    expect((await talking.session.prompt('say hi\nusage quota').result).usage).toMatchObject({
      inputTokens: 1000,
      outputTokens: 200,
    })
    expect(talking.session.usage).toMatchObject({ inputTokens: 2060, outputTokens: 300 })
  })

  it('TestPromptSendsTextContentBlock: a prompt is sent as a text block', async () => {
    const record = join(folder, 'prompt')
    await using talking = await talk({}, {}, { record })
    await talking.session.prompt('say hi').result
    const prompt = (await sent(record)).find(({ method }) => method === 'session/prompt')
    expect(prompt?.params['prompt']).toEqual([{ type: 'text', text: 'say hi' }])
  })

  it('TestAgentCapabilitiesMcpHttpCheck: tools are offered only to agents that support them', async () => {
    const clock = tool({ name: 'clock', description: 'The time', input: z.object({}), run: () => 'noon' })
    for (const mcpCapabilities of [{ http: false, sse: true }, {}, undefined]) {
      const capabilities = { loadSession: true, ...(mcpCapabilities ? { mcpCapabilities } : {}) }
      await expect(talk({}, { tools: [clock] }, { capabilities })).rejects.toMatchObject({
        code: 'unsupported',
      })
    }
    const capabilities = { mcpCapabilities: { http: true, sse: true } }
    await using talking = await talk({}, { tools: [clock] }, { capabilities })
    expect(talking.connection.capabilities['mcpCapabilities']).toEqual({ http: true, sse: true })
    expect((await talking.session.prompt('list-tools').result).text).toContain('clock')
  })
})

describe('faults of the wire', () => {
  it('garbage on stdout is kept, and messages around it are read', async () => {
    const events = await promptEvents('garbage')
    expect(joinText(events)).toBe('before;halves;after')
    const noise = typed(events, 'unknown').map(({ raw }) => raw)
    expect(noise).toEqual(expect.arrayContaining(['Warning: this is no JSON', '[1,2]', '42', '{"broken": ']))
  })

  it('keeps messages that are nested too deeply as text, and refuses such requests', async () => {
    const events = await promptEvents('deep')
    expect(joinText(events)).toBe('told -32600')
    const kept = typed(events, 'unknown').map(({ raw }) => raw)
    expect(kept).toEqual([
      expect.stringContaining('"method":"session/update"'),
      expect.stringContaining('"id":"fake-0"'),
      expect.objectContaining({ id: 'fake-0', error: expect.anything() as unknown }),
    ])
  })

  it('a banner before the first message does no harm', async () => {
    expect(joinText(await promptEvents('say hi', { banner: 'Welcome!\nUpdate available' }))).toBe('hi')
  })

  it('a message of ten megabytes is one message', async () => {
    const events = await promptEvents('big 10')
    expect(typed(events, 'text').map(({ text }) => text.length)).toEqual([10 * 1024 * 1024])
  })

  it('chunks shortly after the response belong to its result, not to a later prompt', async () => {
    const received: Event[] = []
    await using talking = await talk({ sink: { write: (event) => void received.push(event) } })
    const first = await talking.session.prompt('say one;\nlate-updates 5 50').result
    expect(first).toMatchObject({ text: 'one;late 0;late 1;late 2;late 3;late 4;' })
    expect(joinText(received)).toBe('one;late 0;late 1;late 2;late 3;late 4;')
    expect(await talking.session.prompt('say two').result).toMatchObject({ ok: true, text: 'two' })
  })

  it('an unknown request is answered, an unknown notification is kept', async () => {
    const events = await promptEvents('unknown-request\nunknown-notification')
    expect(joinText(events)).toBe('told -32601')
    const methods = events.flatMap(({ raw }) => (raw as { method?: string } | undefined)?.method ?? [])
    expect(methods).toEqual(expect.arrayContaining(['session/dance', 'session/sing']))
  })

  it('messages are numbered without gaps', async () => {
    const received: Event[] = []
    await using talking = await talk({
      permissions: 'auto',
      sink: { write: (event) => void received.push(event) },
    })
    for (const words of ['say hi', 'tool write a.txt', 'unknown-update', 'error 500', 'garbage'])
      await talking.session.prompt(words).result
    const numbers = received.flatMap(({ origin }) => /^(\d+)[ca]\./.exec(origin.key)?.[1] ?? []).map(Number)
    expect(Math.min(...numbers)).toBe(1)
    expect(new Set(numbers).size).toBe(Math.max(...numbers))
    expect(new Set(received.map(({ origin }) => origin.key)).size).toBe(received.length)
  })
})

describe('calls', () => {
  it('that are reported twice are one call', async () => {
    const events = await promptEvents('tool-twice write a.txt')
    expect(new Set(typed(events, 'tool_use').map(({ entity }) => entity)).size).toBe(1)
    expect(typed(events, 'tool_result')).toHaveLength(1)
  })

  it('that are asked for before they are reported exist', async () => {
    const events = await promptEvents('ask-first write a.txt')
    const use = events.findIndex(({ type }) => type === 'tool_use')
    expect(use).toBeGreaterThan(-1)
    expect(use).toBeLessThan(events.findIndex(({ type }) => type === 'ask'))
    expect(typed(events, 'tool_result')).toMatchObject([{ status: 'success' }])
  })

  it('that are refused end as denied, even if the agent never reports them again', async () => {
    await using talking = await talk({ permissions: 'deny' })
    const events = await collectEvents(talking.session.prompt('ask-first write a.txt'))
    expect(typed(events, 'tool_result')).toMatchObject([{ status: 'denied' }])
  })

  it('that are reported only at their end, or that fail, have a result', async () => {
    const events = await promptEvents('tool-end-only write a.txt\ntool-failed read b.txt')
    expect(typed(events, 'tool_result').map(({ status }) => status)).toEqual(['success', 'error'])
  })

  it('that run during a cancel end as cancelled', async () => {
    await using talking = await talk({ permissions: 'auto' })
    const run = talking.session.prompt('tool-unfinished write a.txt\nwait')
    const events: Event[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'tool_use') void run.cancel()
    }
    expect(typed(events, 'tool_result')).toMatchObject([{ status: 'cancelled' }])
    expect(typed(events, 'done')).toMatchObject([{ ok: false, stopReason: 'cancelled' }])
  })
})

describe('an agent', () => {
  it.each([
    ['die 3', /code 3.*the fake agent dies/],
    ['die-silently 0', /code 0/],
    ['die-silently SIGKILL', /SIGKILL/],
  ])('that exits at "%s" fails with the reason', async (words, message) => {
    await using talking = await talk()
    const { error } = await talking.session.prompt(words).result
    expect(error).toMatchObject({ code: 'crashed', message: expect.stringMatching(message) })
  })

  it('that sends no output has failed', async () => {
    await using talking = await talk()
    expect(await talking.session.prompt('empty').result).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('without a word') },
    })
  })

  it('that never answers times out', async () => {
    const agent = fakeAgent({ replies: { initialize: 'never' } })
    await expect(connect(agent, { startupTimeout: 300 })).rejects.toMatchObject({ code: 'timeout_startup' })
  })

  it.each([
    ['end_turn', true],
    ['max_tokens', true],
    ['max_turn_requests', false],
    ['refusal', false],
    ['cancelled', false],
  ])('that stops with %s reports it', async (stopReason, ok) => {
    await using talking = await talk()
    expect(await talking.session.prompt(`say hi\nstop ${stopReason}`).result).toMatchObject({
      ok,
      stopReason,
    })
  })
})
