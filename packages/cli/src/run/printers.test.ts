import type { Event } from '@remora/protocol'
import type { RunResult } from '@remora/sdk'
import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { errorLines } from '../output/describe-error.ts'
import { describeTool } from '../output/describe-tool.ts'
import { harmless, oneLine } from '../output/one-line.ts'
import { PersonPrinter, type PersonStyle } from './printing/person-printer.ts'
import { jsonPrinter } from './printing/printer.ts'
import { LabelledWriter } from './show-side-by-side.ts'
import { summary } from './summary.ts'

type Fields = Partial<Event> & Pick<Event, 'type'> & Record<string, unknown>

function event(fields: Fields): Event {
  const origin = { channel: 'headless', source: 'run', key: '1.0' }
  return { agent: 'gemini', session: 's', entity: 'e', origin, at: 0, ...fields } as Event
}
const text = (words: string, entity = 't', offset = 0) => event({ type: 'text', entity, offset, text: words })
const tool = (entity: string, name: string, input: unknown, more = {}) =>
  event({ type: 'tool_use', entity, name, input, ...more })
const result = (entity: string, status = 'success', content?: string) =>
  event({ type: 'tool_result', entity, status, content } as Fields)

const over: RunResult = {
  ok: true,
  text: '',
  messages: [],
  truncated: false,
  sessionId: 'abc',
  usage: {},
  durationMs: 1234,
  turns: 1,
  toolCalls: 0,
  permissionDenials: [],
  exitCode: 0,
  signal: null,
  stderr: '',
}

/** The output, with standard error in ⟨⟩. */
function shown(events: readonly Event[], style: Partial<PersonStyle> = {}, end: RunResult = over): string {
  let screen = ''
  const printer = new PersonPrinter(
    { out: (words) => void (screen += words), err: (words) => void (screen += `⟨${words.trimEnd()}⟩`) },
    {
      paint: picocolors.createColors(false),
      cwd: '/home/me',
      thinking: false,
      text: true,
      terminal: true,
      wholeLines: false,
      ...style,
    },
  )
  for (const each of events) printer.event(each)
  printer.end(end)
  return screen
}

describe('a printed run', () => {
  it('streams text, with one line per tool', () => {
    expect(
      shown([
        text('I will '),
        text('write.', 't', 7),
        tool('1', 'Write', { file_path: '/home/me/note.txt', content: 'x' }),
        result('1'),
        text('Done.', 'u'),
      ]),
    ).toBe('I will write.\n▸ Write note.txt ✓\nDone.\n')
  })

  it('prints text immediately', () => {
    const writes: string[] = []
    const printer = new PersonPrinter(
      { out: (words) => void writes.push(words), err: () => {} },
      {
        paint: picocolors.createColors(false),
        cwd: '/',
        thinking: false,
        text: true,
        terminal: false,
        wholeLines: false,
      },
    )
    printer.event(text('a'))
    expect(writes).toEqual(['a'])
    printer.event(text('b', 't', 1))
    expect(writes).toEqual(['a', 'b'])
  })

  it('prints repeated events once', () => {
    expect(
      shown([
        text('Hello'),
        text('Hello world'),
        text('Hello world'),
        tool('1', 'Bash', { command: 'ls' }),
        tool('1', 'Bash', { command: 'ls' }),
        result('1'),
        result('1'),
        result('unknown'),
      ]),
    ).toBe('Hello world\n▸ Bash ls ✓\n')
  })

  it('corrects a result that becomes a failure', () => {
    expect(shown([tool('1', 'Bash', { command: 'ls' }), result('1'), result('1', 'error', 'exit 2')])).toBe(
      '▸ Bash ls ✓\n✗ Bash ls: exit 2\n',
    )
  })

  it('repeats the tool name after other output', () => {
    expect(
      shown([
        tool('1', 'Bash', { command: 'npm test' }),
        tool('2', 'Read', { file_path: 'a.ts' }),
        result('2'),
        result('1', 'error', '\n  2 tests failed\nmore'),
      ]),
    ).toBe('▸ Bash npm test\n▸ Read a.ts ✓\n✗ Bash npm test: 2 tests failed\n')
  })

  it.each([
    ['error', 'No such file', '✗ No such file'],
    ['error', undefined, '✗ failed'],
    ['denied', 'Not in plan mode', '✗ denied: Not in plan mode'],
    ['cancelled', undefined, '✗ cancelled'],
  ])('prints why a tool failed: %s, %s', (status, content, expected) => {
    expect(shown([tool('1', 'Read', {}), result('1', status, content)])).toBe(`▸ Read ${expected}\n`)
  })

  it('hides thinking by default', () => {
    const events = [event({ type: 'thinking', entity: 'h', offset: 0, text: 'Hm.' }), text('Yes.')]
    expect(shown(events)).toBe('Yes.\n')
    expect(shown(events, { thinking: true })).toBe('Hm.\nYes.\n')
    const coloured = shown(events, { thinking: true, paint: picocolors.createColors(true) })
    expect(coloured).toBe('\u001B[2mHm.\u001B[22m\nYes.\n')
  })

  it('indents the tools of a subagent and hides its text', () => {
    expect(
      shown([
        tool('1', 'Task', { description: 'Look around', prompt: '…' }),
        tool('2', 'Glob', { pattern: '*' }, { parent: '1' }),
        event({ type: 'text', entity: 'x', offset: 0, text: 'psst', parent: '1' }),
        result('2'),
        result('1'),
      ]),
    ).toBe('▸ Task Look around\n  ▸ Glob * ✓\n✓ Task Look around\n')
  })

  it('prints retries and warnings on standard error, and splits the text only on a terminal', () => {
    const events = [
      text('Hel'),
      event({ type: 'status', status: 'retrying', detail: 'status\n503', value: { waitMs: 1500 } }),
      event({ type: 'status', status: 'working' }),
      event({ type: 'error', code: 'unknown', severity: 'warning', message: 'Loop?' }),
      text('lo', 't', 3),
    ]
    expect(shown(events)).toBe('Hel\n⟨… retrying in 1.5 s: status 503⟩⟨! Loop?⟩lo\n')
    expect(shown(events, { terminal: false })).toBe('Hel⟨… retrying in 1.5 s: status 503⟩⟨! Loop?⟩lo\n')
  })

  it('prints the error that ended the run only at its end', () => {
    const error = (message: string) => event({ type: 'error', code: 'auth', severity: 'error', message })
    const failed: RunResult = {
      ...over,
      ok: false,
      error: { code: 'auth', message: 'No key', retryable: false },
    }
    const done = event({ type: 'done', ok: false })
    expect(shown([error('No key'), error('No key'), done], {}, failed)).toBe('')
    expect(shown([error('Odd'), error('No key'), done], {}, failed)).toBe('⟨! Odd⟩')
    expect(shown([error('Odd'), text('Well.'), done])).toBe('⟨! Odd⟩Well.\n')
  })

  it('removes control sequences and marks hidden characters, also in a pipe', () => {
    const nasty = '\u001B]52;c;eA==\u0007a\u001B[31mb\u0090c\r\td'
    expect(shown([text(nasty)])).toBe('ab⟨U+0090⟩c\n\td\n')
    expect(shown([text(nasty)], { terminal: false })).toBe('ab⟨U+0090⟩c\n\td\n')
    expect(shown([tool('1', 'Bash', { command: `echo ${nasty}` })], { terminal: false })).toBe(
      '▸ Bash echo ab⟨U+0090⟩c d\n',
    )
  })

  it('leaves out an answer that is structured output', () => {
    expect(shown([text('{}'), tool('1', 'Bash', { command: 'ls' }), result('1')], { text: false })).toBe(
      '▸ Bash ls ✓\n',
    )
  })
})

it.each([
  ['Bash', { command: 'npm   test\n&& x' }, 'Bash npm test && x'],
  ['Write', { file_path: '/elsewhere/a.ts' }, 'Write /elsewhere/a.ts'],
  ['Edit', { file_path: 'src/a.ts' }, 'Edit src/a.ts'],
  ['Glob', { pattern: '*', path: '/home/me' }, 'Glob * in .'],
  ['Grep', { pattern: 'x+' }, 'Grep x+'],
  ['WebFetch', { url: 'https://a.b', prompt: 'p' }, 'WebFetch https://a.b'],
  ['TodoWrite', { todos: [{ status: 'completed' }, { status: 'pending' }, null] }, 'TodoWrite 1 of 3 done'],
  ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, 'AskUserQuestion Which?'],
  ['ExitPlanMode', { plan: 'long' }, 'ExitPlanMode'],
  ['mcp__github__create_issue', { title: 'Bug' }, 'github: create_issue Bug'],
  ['save_memory', { fact: 'I like tea' }, 'save_memory I like tea'],
  ['Write', undefined, 'Write'],
  ['Bash', { command: 7 }, 'Bash'],
])('summarises %s %j', (name, input, expected) => {
  expect(describeTool(name, input, '/home/me')).toBe(expected)
})

it('formats any text as one line, and cuts it', () => {
  expect(oneLine('  a\n\tb  ', 10)).toBe('a b')
  expect(oneLine('abcdef ghi', 8)).toBe('abcdef…')
  expect(harmless('a\u0000b\nc')).toBe('a⟨U+0000⟩b\nc')
})

describe('the last line', () => {
  it('prints usage and the resume command', () => {
    const usage = {
      inputTokens: 12_345,
      outputTokens: 67,
      cachedTokens: 1000,
      thoughtTokens: 5,
      models: { 'flash-lite': {}, flash: {} },
    }
    expect(summary('gemini', { ...over, model: 'auto', usage, toolCalls: 2, costUsd: 0.5 })).toBe(
      'flash-lite + flash · 2 tool calls · 12,345 in (1,000 cached), 67 out (5 thinking) tokens · $0.5000 · 1.2 s · ' +
        'remora run gemini --resume abc "…"',
    )
  })

  it('leaves out unknown values, and names another folder', () => {
    expect(summary('codex', { ...over, sessionId: '' })).toBe('1.2 s')
    expect(summary('codex', { ...over, model: 'o9', toolCalls: 1 }, "/it's here")).toBe(
      String.raw`o9 · 1 tool call · 1.2 s · remora run codex --resume abc --cwd '/it'\''s here' "…"`,
    )
  })
})

it('reports a failure in two lines, with command-line options', () => {
  const error = (code: 'untrusted' | 'quota' | 'aborted', hint?: string) =>
    errorLines({ code, message: 'It\nfailed', retryable: false, ...(hint ? { hint } : {}) })
  expect(error('quota', 'Wait.')).toBe('remora: It failed\n  Wait.\n')
  expect(error('untrusted', 'run with skipTrust')).toContain('--skip-trust')
  expect(error('aborted')).toBe('remora: It failed\n')
})

it('writes whole lines with a label', () => {
  const lines: string[] = []
  const io = {
    out: (words: string) => void lines.push(words),
    err: (words: string) => void lines.push(`!${words}`),
  }
  const [left, right] = [new LabelledWriter('a │ ', io), new LabelledWriter('b │ ', io)]
  left.out('one')
  right.out('x\ny')
  left.err('oh\n')
  left.out(' two\nthree\n\n')
  right.end()
  left.end()
  expect(lines).toEqual(['b │ x\n', '!a │ oh\n', 'a │ one two\na │ three\na │ \n', 'b │ y\n'])
})

it('prints complete events as JSON, one per line', () => {
  let out = ''
  const first = event({ type: 'text', offset: 0, text: 'a\nb', raw: { any: 'thing' } })
  const printer = jsonPrinter({ out: (words) => void (out += words) })
  printer.event(first)
  printer.event(event({ type: 'done', ok: true }))
  printer.end(over)
  const lines = out.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0]!)).toEqual(first)
})
