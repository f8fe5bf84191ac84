import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type Block,
  Command,
  Event,
  Message,
  RemoraError,
  addUsage,
  canMove,
  commandStates,
  extractJSON,
  formatCursor,
  isMcpTool,
  isTool,
  originId,
  parseCursor,
  parseMcpName,
  getMessageText,
  toolInputs,
} from './index.ts'

describe('an event', () => {
  const origin = { channel: 'headless', source: 'run-1', key: '3' } as const
  const envelope = { agent: 'gemini', session: 's', entity: 'e', origin, at: 1 }

  it('is parsed by its type', () => {
    const event = Event.parse({ ...envelope, type: 'text', offset: 0, text: 'hi' })
    expect(event.type).toBe('text')
    expect(() => Event.parse({ ...envelope, type: 'text', offset: -1, text: 'hi' })).toThrow()
    expect(() => Event.parse({ ...envelope, type: 'nonsense' })).toThrow()
  })

  it('is an error unless it is marked as a warning', () => {
    expect(Event.parse({ ...envelope, type: 'error', code: 'quota', message: 'x' })).toMatchObject({
      severity: 'error',
    })
  })

  it('has a different origin id if any part differs', () => {
    const ids = [
      origin,
      { ...origin, key: '4' },
      { ...origin, source: 'run-2' },
      { ...origin, digest: 'd' },
    ].map(originId)
    expect(new Set(ids).size).toBe(4)
    expect(originId({ ...origin })).toBe(ids[0])
  })
})

describe('a message', () => {
  it('accepts every kind of block', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AA==' }
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'b' },
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } },
      {
        type: 'tool_result',
        tool_use_id: 't',
        status: 'timeout',
        is_error: true,
        content: [{ type: 'image', source }],
      },
      ...['image', 'audio', 'video', 'document'].map((type) => ({ type, source })),
      { type: 'slash_command', command: '/help' },
      { type: 'text', text: 'c' },
    ]
    const message = Message.parse({
      id: '1',
      role: 'assistant',
      content,
      timestamp: 0,
      tool: 'gemini',
      _original: [],
    })
    expect(message.content).toEqual(content)
    expect(getMessageText(message)).toBe('a\nc')
  })
})

describe('a tool block', () => {
  const block = (name: string, input: unknown): Block => ({ type: 'tool_use', id: 't', name, input })

  it.each([
    ['Bash', { command: 'ls' }],
    ['Read', { file_path: 'a', offset: 1, limit: 2 }],
    ['Write', { file_path: 'a', content: '' }],
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true }],
    ['Glob', { pattern: '*' }],
    ['Grep', { pattern: 'x', '-i': true, output_mode: 'count' }],
    ['TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }],
    ['WebSearch', { query: 'x' }],
    ['WebFetch', { url: 'x' }],
    ['AskUserQuestion', { questions: [{ question: 'why?', options: [{ label: 'so' }] }] }],
    ['ExitPlanMode', { plan: 'x' }],
    ['Task', { prompt: 'x' }],
  ] as const)('of %s is known by its input', (name, input) => {
    expect(isTool(block(name, input), name)).toBe(true)
    expect(isTool(block(name, 'nonsense'), name)).toBe(false)
    expect(isTool(block('Other', input), name)).toBe(false)
  })

  it('covers every tool above and keeps fields it does not know', () => {
    expect(Object.keys(toolInputs)).toHaveLength(12)
    expect(toolInputs.Bash.parse({ command: 'ls', sandbox: true })).toEqual({ command: 'ls', sandbox: true })
  })

  it('of an MCP server names server and tool', () => {
    expect(parseMcpName('mcp__github__create_issue')).toEqual({ server: 'github', tool: 'create_issue' })
    expect(parseMcpName('mcp_github_create')).toBeUndefined()
    expect(
      [block('mcp__a__b', {}), block('Bash', {}), { type: 'text', text: '' } as const].filter(isMcpTool),
    ).toHaveLength(1)
  })
})

describe('extractJSON', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['Sure!\n```json\n{"a": [1, 2]}\n```\nDone {"b":1}', { a: [1, 2] }],
    ['```\n[1]\n```', [1]],
    ['Two: {"a":"}"} and {"b":2}', { a: '}' }],
    ['Broken {"a": } then [true, "\\"]"]', [true, '"]']],
    ['{ not json {"inner": 1} }', { inner: 1 }],
    ['no json here', undefined],
    ['', undefined],
    ['{"open": ', undefined],
  ])('finds the value in %j', (text, value) => {
    expect(extractJSON(text)).toEqual(value)
  })

  it('skips values that do not fit the schema', () => {
    const schema = z.object({ b: z.number() })
    expect(extractJSON('{"a":1} {"b":2}', schema)).toEqual({ b: 2 })
    expect(extractJSON('{"a":1}', schema)).toBeUndefined()
  })

  it('finds an object inside any text', () => {
    const noise = fc.string().map((text) => text.replace(/[{}[\]"`]/g, ''))
    fc.assert(
      fc.property(
        noise,
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        noise,
        (before, value, after) => {
          const json = JSON.stringify(value)
          expect(extractJSON(`${before}: ${json} ${after}`)).toEqual(JSON.parse(json))
        },
      ),
    )
  })

  it('takes linear time on hostile text', () => {
    expect(extractJSON('{"'.repeat(200_000))).toBeUndefined()
    expect(extractJSON('[['.repeat(200_000))).toBeUndefined()
  })
})

describe('a cursor', () => {
  it('is the same after it was formatted and parsed', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(), (epoch, seq) => {
        expect(parseCursor(formatCursor({ epoch, seq }))).toEqual({ epoch, seq })
      }),
    )
  })

  it.each(['', 'a', 'a:', ':1', 'a:-1', 'a:1.5', 'a b:1', 'a:99999999999999999'])(
    'is not read from %j',
    (text) => {
      expect(parseCursor(text)).toBeUndefined()
    },
  )
})

describe('a command', () => {
  it('ends once: done, withdrawn and refused are final', () => {
    for (const from of ['done', 'withdrawn', 'refused'] as const)
      for (const to of commandStates) expect(canMove(from, to)).toBe(false)
    expect(canMove('queued', 'sent')).toBe(true)
    expect(canMove('sent', 'done')).toBe(true)
    // It may return to the queue, but it can no longer be withdrawn.
    expect(canMove('sent', 'queued')).toBe(true)
    expect(canMove('sent', 'withdrawn')).toBe(false)
  })

  it('needs a client and an id', () => {
    const command = {
      id: '1',
      client: 'phone',
      target: { agent: 'gemini', session: 's' },
      body: { kind: 'cancel' },
      state: 'queued',
      at: 0,
    }
    expect(Command.parse(command)).toEqual(command)
    expect(() => Command.parse({ ...command, id: '' })).toThrow()
    expect(() => Command.parse({ ...command, body: { kind: 'dance' } })).toThrow()
  })
})

describe('usage', () => {
  it('adds known counts and leaves out unknown ones', () => {
    expect(addUsage({ inputTokens: 1, cachedTokens: 2 }, { inputTokens: 3, outputTokens: 4 })).toEqual({
      inputTokens: 4,
      cachedTokens: 2,
      outputTokens: 4,
    })
  })
})

describe('RemoraError', () => {
  it('has a message and a hint, and is recognised across copies of the package', () => {
    const cause = new Error('inner')
    const error = new RemoraError('agent_missing', 'gemini is not installed', { hint: 'install it', cause })
    expect(error).toMatchObject({ name: 'RemoraError', code: 'agent_missing', hint: 'install it', cause })
    expect(RemoraError.is(error)).toBe(true)
    expect(RemoraError.is(Object.assign(new Error('x'), { code: 'agent_missing' }))).toBe(false)
    expect(RemoraError.is(null)).toBe(false)
    expect(JSON.stringify(error)).toBe(
      '{"code":"agent_missing","message":"gemini is not installed","hint":"install it"}',
    )
    expect(JSON.stringify(new RemoraError('unknown', 'x'))).toBe('{"code":"unknown","message":"x"}')
  })
})
