import { readdirSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Event, fold, totalUsage } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getCalls, readEvents, reading, recordings, getTexts } from '../streams.test-data.ts'
import { recordedSessions, transcriptEvents, wholeScript } from '../transcripts.test-data.ts'
import { headless } from './headless.ts'
import { claude } from './index.ts'
import {
  arrivals,
  arrived,
  firstBadRecord,
  readFileLines,
  readLines,
  recordedAt,
  seen,
} from './lines.test-data.ts'
import { transcripts } from './transcripts.ts'

const sessions = recordedSessions(import.meta.url)
const read = (path: string) => readLines(transcripts, path, readFileLines(path)).flat()
const folder = (name: string) => fileURLToPath(new URL(`sessions/fixtures/2.1.197/${name}/`, import.meta.url))
const name = '00000001-0000-4000-8000-000000000000'

describe.each(sessions.map((each) => [`${each.version} ${each.scenario} (${each.way})`, each] as const))(
  '%s',
  (_, session) => {
    const { scenario, path } = session
    const fails = scenario.startsWith('fault-')

    it('has the texts, calls and thoughts of the script', () => {
      const messages = fold(read(path))
      const expected = wholeScript(session)
      expect(messages.find(({ role, context }) => role === 'user' && !context)).toMatchObject({
        content: [{ type: 'text', text: session.script.prompt }],
      })
      if (!fails) expect(getTexts(messages)).toEqual(expected.words)
      const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
      expect(getCalls(messages)).toEqual(expected.tools.map((tool) => [tool, status]))
      const thoughts = messages.flatMap(({ content }) => content).filter((block) => block.type === 'thinking')
      for (const subject of expected.thoughts)
        expect(thoughts.map(({ thinking }) => thinking).join('\n')).toContain(`**${subject}**`)
    })

    it('has an event for every line, and errors and tokens', () => {
      const events = readLines(transcripts, path, readFileLines(path))
      for (const [index, line] of readFileLines(path).entries()) {
        const [first, ...more] = events[index]!
        expect(JSON.stringify(first?.raw)).toBe(line)
        // Claude's log of its requests repeats what other records have.
        if (line.startsWith('{"type":"api-request')) expect([first?.type, more]).toEqual(['session', []])
      }
      expect(events.flat().filter(({ type }) => type === 'unknown')).toEqual([])
      expect(events.flat()).toContainEqual(
        expect.objectContaining({ type: 'session', cwd: '/home/user/work', version: session.version }),
      )
      const errors = events.flat().filter((event) => event.type === 'error')
      if (!fails) expect(totalUsage(events.flat()).outputTokens).toBeGreaterThan(0)
      expect(errors.length > 0).toBe(fails && scenario !== 'fault-empty')
    })

    it('reads the same in pieces', () => {
      const lines = readFileLines(path)
      const whole = readLines(transcripts, path, lines)
      for (let cut = 1; cut < lines.length; cut++)
        expect(readLines(transcripts, path, lines, [cut])).toEqual(whole)
      expect(readLines(transcripts, path, lines, [...lines.keys()])).toEqual(whole)
    })
  },
)

describe('with the stream of the same run', () => {
  const all = recordings(import.meta.url)
  // A broken connection leaves text in the stream that is never written to the file.
  const both = sessions.filter(
    ({ way, scenario }) => way === 'headless' && !['two-turns', 'fault-cut'].includes(scenario),
  )

  it.each(both.map((each) => [each.version, each.scenario, each] as const))(
    '%s %s is one conversation',
    (version, scenario, session) => {
      const { lines, script } = all.find((each) => each.version === version && each.scenario === scenario)!
      const stream = streamEvents(lines, script.prompt)
      const transcript = read(session.path).map((event) => ({ ...event, agent: 'test' }))
      const alone = seen(fold(transcript))
      fc.assert(
        fc.property(arrivals([stream, transcript]), (order) => {
          const events = arrived([stream, transcript], order)
          expect(seen(fold(events))).toEqual(alone)
          if (!scenario.startsWith('fault-')) expect(totalUsage(events)).toEqual(totalUsage(transcript))
        }),
        { numRuns: 20 },
      )
    },
  )
})

function streamEvents(lines: readonly string[], prompt: string): Event[] {
  return readEvents(reading(headless, { prompt }), lines).map((event) => ({ ...event, at: recordedAt }))
}

describe('a sub-agent', () => {
  const place = folder('sub-agent')
  const [file] = readdirSync(`${place}${name}/subagents`).filter((each) => each.endsWith('.jsonl'))
  const main = read(`${place}${name}.jsonl`)
  const sub = read(`${place}${name}/subagents/${file}`)
  const call = main.find((event) => event.type === 'tool_use')!.entity

  it('belongs to the call that is named in the file beside its own', () => {
    expect(new Set(sub.map(({ session, parent }) => `${session} ${parent}`))).toEqual(
      new Set([`${name} ${call}`]),
    )
    expect(sub[0]!.origin.source).toBe(`transcript/${file!.slice('agent-'.length, -'.jsonl'.length)}`)
    const messages = fold([...main, ...sub])
    expect(seen(messages.filter(({ parent }) => parent === call))).toMatchObject([
      [call, 'user', 'SAY: I look.\nRUN: echo inner'],
      [call, 'assistant', 'I look.'],
      [call, 'assistant', 'Bash', { command: 'echo inner' }],
      [call, 'assistant', 'success', 'inner'],
      [call, 'assistant', 'Done: inner'],
    ])
    expect(messages.findIndex(({ parent }) => parent === call)).toBeLessThan(messages.length - 1)
  })

  it('uses its own id where no call is named, and the result of the call has that id', () => {
    const lines = readFileLines(`${place}${name}/subagents/${file}`)
    const alone = readLines(transcripts, `/elsewhere/${name}/subagents/agent-abc.jsonl`, lines).flat()
    expect(alone[0]).toMatchObject({ session: name, parent: 'abc' })
    const old = readLines(transcripts, '/elsewhere/agent-abc.jsonl', lines).flat()
    expect(old[0]).toMatchObject({ session: name, parent: 'abc', origin: { source: 'transcript/abc' } })
    expect(main.find((event) => event.type === 'tool_result')).toMatchObject({
      entity: call,
      subagent: file!.slice('agent-'.length, -'.jsonl'.length),
    })
  })

  it('merges with its events of the stream', () => {
    const stream = streamEvents(readFileLines(`${place}stream.jsonl`), main.flatMap(promptIn)[0]!)
    const alone = seen(fold([...main, ...sub]))
    fc.assert(
      fc.property(arrivals([stream, main, sub]), (order) => {
        expect(seen(fold(arrived([stream, main, sub], order)))).toEqual(alone)
      }),
      { numRuns: 20 },
    )
  })
})

function promptIn(event: Event): string[] {
  if (event.type !== 'message' || event.role !== 'user' || event.context) return []
  return (event.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

describe('a session in a terminal', () => {
  const rewound = read(`${folder('rewind')}${name}.jsonl`)
  const interrupted = read(`${folder('interrupt')}${name}.jsonl`)

  it('has one branch, without prompts and answers that were withdrawn', () => {
    const messages = fold(rewound)
    const prompts = messages.flatMap(({ role, context, content }) =>
      role === 'user' && !context ? content : [],
    )
    expect(prompts.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual([
      'SAY: one',
      'SAY: three',
      '! echo bash-mode',
      'look at @a.txt',
      'slash_command',
      'slash_command',
      'slash_command',
      'SAY: four',
    ])
    expect(getTexts(messages).filter((text) => text.length < 10)).toEqual(['one', 'three', 'four'])
    // The first answer was written before its prompt.
    expect(seen(messages).slice(0, 2)).toEqual([
      [undefined, 'user', 'SAY: one'],
      [undefined, 'assistant', 'one'],
    ])
  })

  it.each([
    ['2.1.197', 'edit'],
    ['2.1.197', 'thoughts-only-then-text'],
    ['2.1.326', 'edit'],
    ['2.1.326', 'thoughts-only-then-text'],
  ])('shows the answers of %s %s alone, each in a file of its own', async (version, scenario) => {
    const path = fileURLToPath(new URL(`fixtures/${version}/${scenario}/session.jsonl`, import.meta.url))
    const answers = readFileLines(path).filter((line) => line.includes('"type":"assistant"'))
    expect(answers.length).toBeGreaterThan(1)
    const home = await mkdtemp(join(tmpdir(), 'remora-claude-alone-'))
    try {
      const file = join(home, `${name}.jsonl`)
      for (const answer of answers) {
        await writeFile(file, `${answer}\n`)
        // An answer that was written just now waits for its prompt.
        expect(fold(await transcriptEvents(claude, file))).toEqual([])
        await utimes(file, 1, 1)
        const [message] = fold(await transcriptEvents(claude, file))
        expect(message).toMatchObject({ role: 'assistant', content: [{}] })
      }
    } finally {
      await rm(home, { recursive: true })
    }
  })

  it('has commands, their output, attached files, its title and its compaction', () => {
    const messages = fold(rewound)
    expect(messages.flatMap(({ content }) => content)).toContainEqual({
      type: 'slash_command',
      command: '/rename',
      message: 'rename',
      args: 'my title',
    })
    const notes = messages.filter(({ role }) => role === 'system').flatMap(({ content }) => content)
    expect(notes).toContainEqual({ type: 'text', text: 'bash-mode' })
    expect(notes).toContainEqual({ type: 'text', text: 'Session renamed to: my title' })
    expect(notes).toContainEqual({ type: 'text', text: 'Compacted (ctrl+o to see full summary)' })
    const context = messages.filter((message) => message.context).flatMap(({ content }) => content)
    expect(context).toContainEqual({ type: 'text', text: '/home/user/work/a.txt\nhello a\n' })
    expect(JSON.stringify(context)).toContain('This session is being continued')
    const titles = rewound.flatMap((event) => (event.type === 'session' ? (event.title ?? []) : []))
    expect(titles.at(-1)).toBe('my title')
    expect(rewound).toContainEqual(expect.objectContaining({ type: 'status', status: 'compacting' }))
    expect(rewound).toContainEqual(expect.objectContaining({ status: 'mode', value: 'default' }))
    expect(rewound.filter(({ type }) => type === 'unknown')).toEqual([])
  })

  it('can be rewound to its start', () => {
    const first = interrupted.find((event) => event.type === 'message' && event.role === 'user')!
    const status = interrupted.find((event) => event.type === 'status' && event.status === 'rewound')
    expect(status).toMatchObject({ value: { to: first.entity } })
    expect(seen(fold(interrupted))[0]).toEqual([undefined, 'user', 'SAY: new first'])
  })

  it('distinguishes a denial from an interruption, and keeps the text before it', () => {
    const messages = fold(interrupted)
    expect(getCalls(messages)).toEqual([
      ['Bash', 'denied'],
      ['Bash', 'cancelled'],
    ])
    expect(getTexts(messages)).toContain('I am a scripted model. Tell ')
    const notes = messages.filter(({ role }) => role === 'system').map(({ content }) => content[0])
    expect(notes).toEqual([
      { type: 'text', text: '[Request interrupted by user for tool use]' },
      { type: 'text', text: '[Request interrupted by user]' },
      { type: 'text', text: '[Request interrupted by user for tool use]' },
      { type: 'text', text: 'API Error: 400 messages: at least one message is required' },
    ])
    expect(interrupted.find((event) => event.type === 'error')).toMatchObject({
      code: 'input',
      severity: 'error',
    })
    expect(messages.find(({ context }) => context)).toMatchObject({ role: 'user' })
  })

  it.each(['rewind', 'interrupt'])('%s reads the same in pieces', (each) => {
    const path = `${folder(each)}${name}.jsonl`
    const lines = readFileLines(path)
    const whole = readLines(transcripts, path, lines)
    for (let cut = 1; cut < lines.length; cut++)
      expect(readLines(transcripts, path, lines, [cut])).toEqual(whole)
  })
})

it('never throws for damaged records', () => {
  const paths = [...sessions.map(({ path }) => path), `${folder('rewind')}${name}.jsonl`]
  expect(firstBadRecord(transcripts, `/x/${name}.jsonl`, paths.flatMap(readFileLines))).toBeUndefined()
})

it('reports the mode of the first prompt, and of a later one that differs', () => {
  const prompt = (uuid: string, permissionMode: string) =>
    JSON.stringify({
      type: 'user',
      uuid,
      parentUuid: null,
      sessionId: 's',
      permissionMode,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'Hello' },
    })
  const lines = [prompt('1', 'default'), prompt('2', 'default'), prompt('3', 'bypassPermissions')]
  const events = readLines(transcripts, '/h/.claude/projects/-w/s.jsonl', lines).flat()
  expect(events.flatMap((event) => (event.type === 'status' ? [event.value] : []))).toEqual([
    'default',
    'bypassPermissions',
  ])
})
