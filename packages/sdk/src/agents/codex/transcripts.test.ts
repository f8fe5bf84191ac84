import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Event, fold, totalUsage } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  arrivals,
  arrived,
  firstBadRecord,
  readFileLines,
  readLines,
  recordedAt,
  seen,
} from '../claude/lines.test-data.ts'
import { getCalls, readEvents, reading, recordings, getTexts } from '../streams.test-data.ts'
import { recordedSessions, wholeScript } from '../transcripts.test-data.ts'
import { headless } from './headless.ts'
import { transcripts } from './transcripts.ts'

const sessions = recordedSessions(import.meta.url)
const read = (path: string) => readLines(transcripts, path, readFileLines(path)).flat()
const files = (name: string) => {
  const folder = fileURLToPath(new URL(`sessions/fixtures/0.166.0/${name}/`, import.meta.url))
  return readdirSync(folder)
    .filter((file) => file.startsWith('rollout-'))
    .toSorted()
    .map((file) => folder + file)
}
const failing = (scenario: string) => scenario.startsWith('fault-') || scenario === 'retry-then-ok'

describe.each(sessions.map((each) => [`${each.scenario} (${each.way})`, each] as const))(
  '%s',
  (_, session) => {
    const { scenario, path } = session
    const fails = failing(scenario)

    it('has the texts, calls and thoughts of the script', () => {
      const messages = fold(read(path))
      const expected = wholeScript(session)
      expect(messages.find(({ role, context }) => role === 'user' && !context)).toMatchObject({
        content: [{ type: 'text', text: session.script.prompt }],
      })
      if (!fails) expect(getTexts(messages)).toEqual(expected.words)
      const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
      // Codex reads files with its shell.
      const tools = expected.tools.map((tool) => (tool === 'Read' ? 'Bash' : tool))
      expect(getCalls(messages)).toEqual(tools.map((tool) => [tool, status]))
      const thoughts = messages.flatMap(({ content }) => content).filter((block) => block.type === 'thinking')
      for (const subject of expected.thoughts)
        expect(thoughts.map(({ thinking }) => thinking).join('\n')).toContain(`**${subject}**`)
      expect(thoughts[0]?.subject).toBe(expected.thoughts[0])
    })

    it('has an event for every line, and errors and tokens', () => {
      const events = readLines(transcripts, path, readFileLines(path))
      expect(events.filter((each) => each.length === 0)).toEqual([])
      for (const [index, line] of readFileLines(path).entries())
        expect(JSON.stringify(events[index]![0]!.raw)).toBe(line)
      expect(events.flat().filter(({ type }) => type === 'unknown')).toEqual([])
      expect(events[0]![0]).toMatchObject({ type: 'session', cwd: '/home/user/work' })
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
  // A broken connection or a refusal leaves text in the stream that is never written to the file.
  const both = sessions.filter(
    ({ way, scenario }) =>
      way === 'headless' && !['two-turns', 'fault-cut', 'fault-safety'].includes(scenario),
  )

  it.each(both.map((each) => [each.scenario, each] as const))(
    '%s is one conversation',
    (scenario, session) => {
      const { lines, script } = all.find((each) => each.scenario === scenario)!
      const stream = streamEvents(lines, script.prompt)
      const transcript = read(session.path)
      const alone = seen(fold(transcript))
      fc.assert(
        fc.property(arrivals([stream, transcript]), (order) => {
          const events = arrived([stream, transcript], order)
          expect(seen(fold(events))).toEqual(alone)
          if (!failing(scenario)) expect(totalUsage(events)).toEqual(totalUsage(transcript))
        }),
        { numRuns: 20 },
      )
    },
  )

  it.each(both.map((each) => [each.scenario, each] as const))(
    '%s has the same calls',
    (scenario, session) => {
      const { lines, script } = all.find((each) => each.scenario === scenario)!
      expect(callForms(read(session.path))).toEqual(callForms(streamEvents(lines, script.prompt)))
    },
  )
})

function callForms(events: readonly Event[]): unknown[] {
  return events.flatMap((event) => (event.type === 'tool_use' ? [[event.name, event.input]] : []))
}

function streamEvents(lines: readonly string[], prompt: string): Event[] {
  return readEvents(reading(headless, { prompt }), lines).map((event) => ({ ...event, at: recordedAt }))
}

describe('a session in a terminal', () => {
  const [before, after] = files('rewind')
  const events = [...read(before!), ...read(after!)]
  const messages = fold(events)

  it('continues in another file after a rewind, and stays one session', () => {
    expect(new Set(events.map(({ session }) => session)).size).toBe(1)
    const back = events.find((event) => event.type === 'status' && event.status === 'rewound')
    const taken = events.find(
      (event) =>
        event.type === 'message' && JSON.stringify(event.content ?? []).includes('RUN: echo in-shell'),
    )
    expect(back).toMatchObject({ value: { to: taken!.entity } })
    const prompts = messages.flatMap(({ role, context, content }) =>
      role === 'user' && !context ? content : [],
    )
    expect(prompts.map((block) => (block.type === 'text' ? block.text.slice(0, 17) : block.type))).toEqual([
      'SAY: one',
      'SAY: three',
      'RUN: sleep 20',
      'CALL: update_plan',
      'CALL: view_image ',
      'CALL: spawn_agent',
      '! echo mine',
      'SAY: four',
    ])
  })

  it('keeps a command cancelled that ended in the background, and has errors', () => {
    expect(getCalls(messages)).toEqual([
      ['Bash', 'cancelled'],
      ['TodoWrite', 'error'],
      ['Read', 'error'],
      ['Task', 'error'],
    ])
    const notes = messages.filter(({ role, context }) => role === 'system' && !context)
    expect(notes.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'mine' }]])
  })

  it('has its compaction, whose summary is not part of the conversation', () => {
    expect(events).toContainEqual(expect.objectContaining({ type: 'status', status: 'compacting' }))
    expect(getTexts(messages).join()).not.toContain('A scripted conversation')
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    expect(events).toContainEqual(expect.objectContaining({ status: 'idle', detail: 'interrupted' }))
  })

  it('shows both branches if the previous file is missing', () => {
    const alone = readLines(transcripts, `/gone/${after!.split('/').at(-1)!}`, readFileLines(after!)).flat()
    expect(alone.filter((event) => event.type === 'status' && event.status === 'rewound')).toEqual([])
  })
})

describe('a sub-agent', () => {
  const [main, child] = files('sub-agent').map(read)
  const call = main!.find((event) => event.type === 'tool_use')!.entity

  it('has a file of its own and belongs to its call', () => {
    const thread = child![0]!.parent
    expect(child![0]).toMatchObject({
      session: main![0]!.session,
      origin: { source: `transcript/${thread}` },
    })
    expect(main!.filter((event) => event.type === 'tool_result' && event.subagent === thread)).toMatchObject([
      { entity: call },
      { entity: call },
    ])
    const messages = fold([...main!, ...child!])
    const under = messages.filter(({ parent }) => parent === call)
    expect(seen(under)[0]).toEqual([call, 'user', 'Look at the folder.'])
    expect(seen(messages.filter(({ parent }) => parent === undefined)).at(-1)).toEqual([
      undefined,
      'assistant',
      'All is done.',
    ])
  })

  it('has the same call as in the stream', () => {
    const stream = streamEvents(
      readFileLines(files('sub-agent')[0]!.replace(/rollout-.*/, 'stream.jsonl')),
      '',
    )
    expect(callForms(stream)[0]).toEqual(callForms(main!)[0])
    expect(stream.find((event) => event.type === 'tool_result')).toMatchObject({
      subagent: child![0]!.parent,
    })
  })
})

it('never throws for damaged records', () => {
  const paths = [...sessions.map(({ path }) => path), ...files('rewind'), ...files('sub-agent')]
  expect(firstBadRecord(transcripts, '/x/session.jsonl', paths.flatMap(readFileLines))).toBeUndefined()
})

it.each([
  ['hello', 'acceptEdits'],
  ['shell', 'bypassPermissions'],
])('reports the mode of %s once', (scenario, mode) => {
  const { path } = sessions.find((each) => each.scenario === scenario)!
  const modes = read(path).filter((event) => event.type === 'status' && event.status === 'mode')
  expect(modes).toMatchObject([{ value: mode }])
})
