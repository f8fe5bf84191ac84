import type { Block, Event, Message } from '@remora/protocol'
import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { textWidth } from '../../output/text-width.ts'
import { ConversationPrinter, type ConversationStyle } from './conversation-printer.ts'
import { EventPrinter } from './event-printer.ts'
import { html } from './html.ts'
import { markdown } from './markdown.ts'
import { createDiff, foldLines, outputText } from './tool-output.ts'

const conversation = { agent: 'gemini', id: 's', cwd: '/home/me/app', events: [], damaged: [] }

function message(content: Block[], more: Partial<Message> = {}): Message {
  return { id: 'm', role: 'assistant', content, timestamp: 0, tool: 'gemini', _original: [], ...more }
}
const text = (words: string): Block => ({ type: 'text', text: words })
const call = (id: string, name: string, input: unknown): Block => ({ type: 'tool_use', id, name, input })
const result = (
  id: string,
  content: string,
  status: 'success' | 'error' | 'denied' | 'cancelled' = 'success',
): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  status,
  is_error: status !== 'success',
})

const plain: ConversationStyle = {
  paint: picocolors.createColors(false),
  cwd: '/home/me/app',
  thinking: false,
  terminal: true,
  columns: 60,
}

function printed(messages: readonly Message[], style: Partial<ConversationStyle> = {}): string {
  let out = ''
  const printer = new ConversationPrinter((piece) => void (out += piece), { ...plain, ...style })
  for (const each of messages) printer.message(each)
  printer.end()
  return out
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

describe('a printed conversation', () => {
  it('marks interrupted messages', () => {
    const messages = [
      message([text('Do it.')], { role: 'user', interrupted: true }),
      message([{ type: 'text', text: 'I wi', partial: true }], { interrupted: true }),
      message([{ type: 'text', text: 'And th', partial: true }]),
    ]
    expect(printed(messages)).toBe(`› You
Do it.
  (interrupted)

● Gemini
I wi
  (interrupted)

And th
  (incomplete)
`)
    const options = { thinking: false, home: '/home/me' }
    expect([...markdown(conversation, messages, options)].join('')).toContain('## You (interrupted)\n')
    expect([...html(conversation, messages, options)].join('')).toContain('<span>interrupted</span>')
  })

  it('prints each speaker once, and tools with their results', () => {
    expect(
      printed([
        message([text('Do it.')], { role: 'user' }),
        message([text('I will.'), call('1', 'Bash', { command: 'npm test' }), result('1', 'all good')]),
        message([
          call('2', 'Read', { file_path: '/home/me/app/a.ts' }),
          result('2', 'no such file', 'error'),
        ]),
        message([text('Done.')]),
        message([text('Thanks.')], { role: 'user' }),
      ]),
    ).toBe(`› You
Do it.

● Gemini
I will.

  ▸ Bash npm test ✓
    all good
  ▸ Read a.ts ✗
    no such file

Done.

› You
Thanks.
`)
  })

  it('folds long output and cuts long lines', () => {
    const out = printed([
      message([call('1', 'Bash', { command: 'x' }), result('1', `${numbered(40)}\n${'long '.repeat(40)}`)]),
    ])
    expect(out.split('\n').slice(1, -1)).toEqual([
      '  ▸ Bash x ✓',
      ...[1, 2, 3, 4, 5].map((each) => `    line ${each}`),
      '    … 34 more lines',
      '    line 40',
      expect.stringMatching(/^ {4}long .*…$/),
    ])
    for (const line of out.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(60)
  })

  it('shows denied and cancelled calls, and calls that never ended', () => {
    expect(
      printed([
        message([call('1', 'Bash', { command: 'rm x' }), result('1', '', 'denied')]),
        message([
          call('2', 'Bash', { command: 'sleep' }),
          call('3', 'Bash', { command: 'ls' }),
          result('2', '', 'cancelled'),
        ]),
      ]),
    ).toBe(`● Gemini
  ▸ Bash rm x ✗ denied
  ▸ Bash sleep
  ▸ Bash ls
  ▸ Bash sleep ✗ cancelled
`)
  })

  it('indents the calls of a subagent', () => {
    expect(
      printed([
        message([call('t', 'Task', { description: 'Look around', prompt: 'Look.' })]),
        message([text('Look.')], { role: 'user', parent: 't' }),
        message([call('1', 'Glob', { pattern: '*' }), result('1', 'a\nb')], { parent: 't' }),
        message([text('It has two files.')]),
      ]),
    ).toBe(`● Gemini
  ▸ Task Look around

│ › To a subagent
│ Look.

│ ● Gemini
│   ▸ Glob * ✓
│     a
│     b

● Gemini
It has two files.
`)
  })

  it('prints no speaker without output', () => {
    const thought: Block = {
      type: 'thinking',
      thinking: 'Hm: let me see',
      subject: 'Hm',
      description: 'let me see',
    }
    expect(printed([message([thought])])).toBe('')
    expect(printed([message([thought, text('Yes.')])], { thinking: true })).toBe(
      '● Gemini\nHm\nlet me see\n\nYes.\n',
    )
  })

  it('shows notices, media and slash commands', () => {
    expect(
      printed([
        message([{ type: 'slash_command', command: '/model', args: 'pro' }], { role: 'user' }),
        message([{ type: 'image', source: { type: 'file', path: '/a.png' }, name: 'a.png' }], {
          role: 'user',
        }),
        message([text('Quota exceeded\nTry later')], { role: 'system' }),
        message([text('Back.')]),
      ]),
    ).toBe(
      '› You\n/model pro\n\n› You\n  ◆ image a.png\n\n! Quota exceeded\n  Try later\n\n● Gemini\nBack.\n',
    )
  })

  it('colours diffs', () => {
    const out = printed(
      [message([call('1', 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }), result('1', 'ok')])],
      {
        paint: picocolors.createColors(true),
      },
    )
    expect(out).toContain('\u001B[31m-x\u001B[39m')
    expect(out).toContain('\u001B[32m+y\u001B[39m')
  })
})

describe('file changes of a tool', () => {
  const success = { status: 'success' } as const

  it('uses the diff of the agent', () => {
    expect(
      createDiff(
        { name: 'Edit', input: {} },
        { ...success, display: { fileDiff: 'Index: a\n===\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n' } },
      ),
    ).toEqual(['@@ -1 +1 @@', '-x', '+y'])
    expect(
      createDiff(
        { name: 'Edit', input: {} },
        {
          ...success,
          display: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-x', '+y'] }],
        },
      ),
    ).toEqual(['@@ -1,1 +1,1 @@', '-x', '+y'])
    expect(
      createDiff(
        { name: 'Edit', input: {} },
        {
          ...success,
          display: {
            '/a': { type: 'update', unified_diff: '@@ -1 +1 @@\n-x\n+y\n' },
            '/b': { type: 'add', content: 'new\n' },
            '/c': { type: 'delete' },
          },
        },
      ),
    ).toEqual(['@@ /a', '@@ -1 +1 @@', '-x', '+y', '@@ /b', '+new', '@@ /c'])
  })

  it('falls back to the input of a successful call', () => {
    const edit = { name: 'Edit', input: { file_path: 'a', old_string: 'x\n', new_string: '' } }
    expect(createDiff(edit, success)).toEqual(['-x'])
    expect(createDiff(edit, { status: 'error' })).toBeUndefined()
    expect(createDiff({ name: 'Write', input: { content: 'a\nb\n' } }, undefined)).toEqual(['+a', '+b'])
    expect(
      createDiff({ name: 'Bash', input: { command: 'ls' } }, { ...success, display: 'oops' }),
    ).toBeUndefined()
  })

  it('folds only if that saves lines', () => {
    expect(foldLines(['1', '2', '3', '4'], 2, 1)).toEqual({ lines: ['1', '2', '3', '4'], hidden: 0, at: 4 })
    expect(foldLines(['1', '2', '3', '4', '5'], 2, 1)).toEqual({ lines: ['1', '2', '5'], hidden: 2, at: 2 })
    expect(
      outputText([
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'url', url: 'x' }, name: 'b.png' },
      ]),
    ).toBe('a\n◆ image b.png')
  })
})

const evil = '</pre></details><script>alert(1)</script><img src=x onerror="alert(1)">'

describe('a document', () => {
  const messages = [
    message([text(evil)], { role: 'user', timestamp: 1 }),
    message([
      { type: 'thinking', thinking: evil },
      text(`Look:\n\`\`\`html\n${evil}\n\`\`\`\nThat.`),
      call('1', evil, { [evil]: evil }),
      result('1', evil, 'error'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' }, name: evil },
      { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: 'PHN2Zz4=' } },
      { type: 'document', source: { type: 'url', url: `https://example.org/${evil}` } },
    ]),
  ]
  const options = { thinking: true, home: '/home/me' }

  it('escapes all text in HTML', () => {
    const page = [...html({ ...conversation, title: evil }, messages, options)].join('')
    expect(page).not.toMatch(/<script|onerror="|<img src=x/i)
    expect(page.match(/<img /g)).toHaveLength(1)
    expect(page).toContain('src="data:image/png;base64,aGk="')
    expect(page).not.toContain('image/svg+xml;base64')
    // Every opened tag is closed.
    for (const tag of ['article', 'details', 'pre', 'p', 'main', 'summary', 'h2'])
      expect(page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length, tag).toBe(
        page.match(new RegExp(`</${tag}>`, 'g'))?.length,
      )
  })

  it('keeps fences of the text inside Markdown blocks', () => {
    const document = [
      ...markdown(
        conversation,
        [message([call('1', 'Bash', { command: 'cat x.md' }), result('1', '```\ncode\n````\n')])],
        options,
      ),
    ].join('')
    expect(document).toContain('\n`````\n```\ncode\n````\n`````\n')
    expect(document).toContain('```sh\ncat x.md\n```')
  })

  it('quotes thinking and subagents in Markdown', () => {
    const document = [
      ...markdown(
        { ...conversation, title: 'a *b* <c>' },
        [
          message([{ type: 'thinking', thinking: 'One\ntwo' }, text('Yes')]),
          message([text('sub')], { parent: 't' }),
        ],
        options,
      ),
    ].join('')
    expect(document).toContain(String.raw`# a \*b\* \<c\>`)
    expect(document).toContain('\n> *Thinking:* One\n> two\n\nYes\n')
    expect(document).toContain('\n> ## Gemini\n>\n> sub\n')
  })

  it('has no thinking by default', () => {
    expect([...html(conversation, messages, { ...options, thinking: false })].join('')).not.toContain(
      'Thinking',
    )
    expect([...markdown(conversation, messages, { ...options, thinking: false })].join('')).not.toContain(
      'Thinking',
    )
  })
})

describe('streamed events', () => {
  const printEvents = (events: Record<string, unknown>[]): string => {
    let out = ''
    const printer = new ConversationPrinter((piece) => void (out += piece), plain)
    const eventPrinter = new EventPrinter(printer)
    const origin = { channel: 'transcripts', source: 'transcript', key: '0.0' }
    for (const event of events)
      eventPrinter.print({ agent: 'gemini', session: 's', entity: 'e', origin, at: 0, ...event } as Event)
    printer.end()
    return out
  }

  it('are printed once, and a call with its input', () => {
    const prompt = { type: 'message', role: 'user', entity: 'p', content: [text('Hi')] }
    const early = { type: 'tool_use', entity: '1', name: 'Bash', input: {} }
    expect(
      printEvents([
        { type: 'session', model: 'pro' },
        { type: 'message', role: 'user', entity: 'c', content: [text('secret context')], context: true },
        prompt,
        prompt,
        { type: 'text', entity: 't', offset: 0, text: 'Hello' },
        { type: 'text', entity: 't', offset: 0, text: 'Hello' },
        early,
        { ...early, input: { command: 'ls' } },
        { type: 'tool_result', entity: '1', status: 'success', content: 'a' },
        { type: 'tool_use', entity: '2', name: 'Plan', input: {} },
        { type: 'tool_result', entity: '2', status: 'success' },
        { type: 'status', status: 'retrying', detail: 'busy', value: { waitMs: 1500 } },
        { type: 'error', code: 'quota', message: 'No more', severity: 'error' },
        { type: 'status', status: 'rewound', value: { to: 'x' } },
        { type: 'status', status: 'idle' },
      ]),
    ).toBe(`› You
Hi

● Gemini pro
Hello

  ▸ Bash ls ✓
    a
  ▸ Plan ✓

! retrying in 1.5 s: busy

! No more

! The conversation was rewound to an earlier point.
`)
  })
})
