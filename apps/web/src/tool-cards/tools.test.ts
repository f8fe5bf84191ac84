import type { Block, Message, ToolResultBlock, ToolUseBlock } from '@remora/protocol'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatMessageMarkdown } from '../share/message-markdown.ts'
import { MessageView } from '../chat/messages/message-view.tsx'
import { words } from '../words/index.ts'
import { type ToolCall, toToolCall, listCalls } from '../tool-calls/call.ts'
import { type RecordedMessages, recordedMessages } from './recorded.test-data.ts'
import { getTitle, getToolView } from './registry.ts'
import { isAbout, openState, took } from './tool-state.tsx'

const session = { agent: 'gemini', session: 's' }
const drawn = (message: Message): string =>
  renderToStaticMarkup(createElement(MessageView, { session, message, index: 0 }))
const opened = (call: ToolCall): string =>
  renderToStaticMarkup(createElement(getToolView(call).Body, { call }))

let recorded: RecordedMessages[]
beforeAll(async () => {
  recorded = await recordedMessages()
})

function message(content: unknown[], more: Partial<Message> = {}): Message {
  const base = { id: 'm', role: 'assistant' as const, timestamp: 0, tool: 'gemini', _original: [] }
  return { ...base, content: content as Block[], ...more }
}

function call(name: string, input: unknown, result?: Partial<ToolResultBlock>): ToolCall {
  const use: ToolUseBlock = { type: 'tool_use', id: 'c', name, input }
  const full = {
    type: 'tool_result',
    tool_use_id: 'c',
    status: 'success',
    is_error: false,
    ...result,
  } as const
  return toToolCall(use, result && full)
}

describe('recorded sessions of every agent', () => {
  it('render collapsed, expanded and as Markdown', () => {
    const agents = new Set<string>()
    let calls = 0
    for (const { agent, name, messages } of recorded)
      for (const each of messages) {
        agents.add(agent)
        const texts = [drawn(each), formatMessageMarkdown(each)]
        for (const found of listCalls(each)) {
          calls++
          texts.push(opened(found))
          expect(getTitle(found), name).not.toBe('')
          expect(getToolView(found).summary?.(found), `${name} ${found.name}`).toBeTruthy()
        }
        for (const text of texts) expect(text, name).not.toMatch(/\[object \w+\]|undefined|NaN/)
      }
    expect(agents).not.toEqual(new Set())
    expect(calls).toBeGreaterThan(60)
  })

  it('show the changes of every agent as diff lines', () => {
    const edits = recorded
      .filter(({ name }) => name.includes(' edit '))
      .map(
        ({ name, messages }) =>
          [name, messages.flatMap(listCalls).find((each) => each.name === 'Edit')] as const,
      )
    expect(edits.length).toBeGreaterThanOrEqual(6)
    for (const [name, edit] of edits) {
      expect(edit, name).toBeDefined()
      expect(getToolView(edit!).stat?.(edit!), name).toEqual({ added: 1, removed: 1 })
      expect(opened(edit!), name).toMatch(/second[\s\S]*third/)
    }
  })

  it('show command output without the text around it', () => {
    const shells = recorded
      .filter(({ name }) => name.includes(' failing-shell '))
      .map(
        ({ name, messages }) =>
          [name, messages.flatMap(listCalls).find((each) => each.name === 'Bash')] as const,
      )
    expect(shells.length).toBeGreaterThanOrEqual(6)
    for (const [name, shell] of shells) {
      expect(getToolView(shell!).stat?.(shell!), name).toBe('exit 3')
      expect(opened(shell!), name).toMatch(/>oops\n?</)
      expect(opened(shell!), name).not.toMatch(/untrusted_context|PGID/)
    }
  })

  it('show errors at once', () => {
    for (const { name, messages } of recorded)
      for (const each of messages)
        for (const found of listCalls(each))
          if (found.result?.status === 'error') {
            expect(drawn(each), name).toContain(words.tools.states.error)
            expect(drawn(each), name).toMatch(/oops|not (?:found|exist)|No such file|unsupported|unable/i)
          }
  })

  it('have few elements while collapsed', () => {
    const all = recorded.flatMap(({ messages }) =>
      messages.flatMap((each) => (listCalls(each).length === 1 ? [each] : [])),
    )
    expect(all.length).toBeGreaterThan(30)
    for (const each of all) {
      const card = /data-testid="tool".*/s.exec(drawn(each))![0]
      const button = card.slice(0, card.indexOf('</button>'))
      expect(button.match(/<[a-z]/g)!.length, button).toBeLessThanOrEqual(12)
    }
  })
})

const names = Object.keys(words.tools.names)
const strange: unknown[] = [
  undefined,
  null,
  'text',
  7,
  [],
  [null],
  {},
  { command: 7, file_path: [], pattern: {} },
]
const strangeResults: unknown[] = [
  undefined,
  null,
  '',
  7,
  {},
  [null, 7, { type: 'text' }, { type: 'image', source: null }],
]

describe('any agent input', () => {
  it.each([...names, 'mcp__server__tool', 'no_such_tool', '', '__proto__', 'constructor'])(
    '%j does not break',
    (name) => {
      for (const [index, input] of strange.entries())
        for (const [place, content] of strangeResults.entries()) {
          const display = strange[(index + place) % strange.length]
          const made = call(name, input, { content, display } as Partial<ToolResultBlock>)
          opened(made)
          const whole = message([made.use, made.result])
          expect(drawn(whole) + formatMessageMarkdown(whole)).not.toContain('[object ')
        }
    },
  )

  it('may contain unknown blocks or a result without a call', () => {
    expect(drawn(message([{ type: 'hologram', x: 1 }]))).toContain('hologram')
    expect(drawn(message([call('Bash', {}, { content: 'x' }).result]))).toContain(words.tools.unknown)
    expect(drawn(message(undefined as unknown as unknown[]))).toContain('article')
  })

  it('is inert in every field', () => {
    const bad = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    const source = { type: 'base64', media_type: `image/png${bad}`, data: bad }
    const everything = [
      { type: 'text', text: bad },
      { type: 'thinking', thinking: bad, subject: bad },
      { type: 'slash_command', command: bad, args: bad },
      { type: 'image', source, name: bad },
      { type: 'image', source: { type: 'file', path: bad }, name: bad },
      { type: 'document', source: { type: 'url', url: `javascript:${bad}` }, name: bad },
      { type: bad, text: bad },
    ]
    const fields = [
      'command',
      'description',
      'file_path',
      'content',
      'old_string',
      'new_string',
      'pattern',
      'path',
      'query',
    ]
    const more = ['url', 'prompt', 'plan', 'subagent_type', 'skill', 'glob', bad]
    const input = Object.fromEntries([...fields, ...more].map((field) => [field, bad]))
    const texts = names.flatMap((name) => {
      const lists = { todos: [{ content: bad }], questions: [{ question: bad, options: [{ label: bad }] }] }
      const made = call(
        name,
        { ...input, ...lists },
        { content: bad, display: { fileDiff: bad, filePath: bad }, status: 'error' },
      )
      return [opened(made), drawn(message([made.use, made.result], { id: bad, tool: bad, model: bad }))]
    })
    for (const role of ['user', 'assistant', 'system'] as const)
      texts.push(drawn(message(everything, { role })), drawn(message(everything, { role, context: true })))
    for (const text of texts) {
      expect(text).not.toMatch(
        /<script|<img(?! src="\/api\/files\/raw\?path=)|<[^>]*\sonerror=(?![^<]*")|javascript:[^<]*"[^>]*>/i,
      )
      for (const [, address] of text.matchAll(/href="([^"]*)"/g))
        expect(address).toMatch(/^(?:https?:|mailto:|\/api\/)/)
    }
    expect(texts.join('')).toContain('&lt;script&gt;')
  })

  it('may be a megabyte in one line', () => {
    const long = 'x'.repeat(1_000_000)
    const made = call('Bash', { command: long }, { content: long })
    expect(drawn(message([made.use, made.result])).length).toBeLessThan(20_000)
    expect(opened(made).length).toBeLessThan(100_000)
    expect(drawn(message([{ type: 'text', text: long }])).length).toBeLessThan(60_000)
  })
})

describe('states', () => {
  it('have a label', () => {
    for (const status of ['error', 'denied', 'cancelled', 'timeout', 'success'] as const) {
      const made = call('Bash', { command: 'x' }, { status, is_error: status !== 'success' })
      expect(drawn(message([made.use, made.result]))).toContain(`>${words.tools.states[status]}<`)
    }
  })

  it('depend on the session while there is no result', () => {
    expect(openState({ state: 'working' }, false)).toBe('running')
    expect(openState({ state: 'asking' }, true)).toBe('waiting')
    expect(openState({ state: 'asking' }, false)).toBe('open')
    expect([openState(undefined, false), openState({ state: 'ended' }, false)]).toEqual(['open', 'open'])
  })

  it('are "waiting" only for the call a request is about', () => {
    const open = (id: string, command: string) =>
      toToolCall({ type: 'tool_use', id, name: 'Bash', input: { command } }, undefined)
    const [older, asked] = [open('a', 'ls'), open('b', 'rm x')]
    const about = (ask: Parameters<typeof isAbout>[0]) => [older, asked].map((each) => isAbout(ask, each))
    expect(about({ toolUse: 'b', tool: 'Bash', input: {} })).toEqual([false, true])
    expect(about({ tool: 'Bash', input: { command: 'rm x' } })).toEqual([false, true])
    expect(about({ tool: 'Write', input: { command: 'rm x' } })).toEqual([false, false])
    expect(about({ tool: 'Bash', input: {} })).toEqual([false, false])
  })

  it('show the duration if both ends are known', () => {
    const lasting = (ms: number) =>
      took(
        toToolCall(
          { type: 'tool_use', id: 'c', name: 'Bash', input: {}, startedAt: 5 },
          {
            type: 'tool_result',
            tool_use_id: 'c',
            status: 'success',
            is_error: false,
            endedAt: 5 + ms,
          },
        ),
      )
    expect([20, 1_234, 42_000, 125_000, -4].map(lasting)).toEqual([
      undefined,
      '1.2 s',
      '42 s',
      '2 min 5 s',
      undefined,
    ])
    expect(took(call('Bash', {}))).toBeUndefined()
  })
})
