import { readFileSync } from 'node:fs'
import { Event, type Message, fold, totalUsage } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessions } from '../../api/sessions.ts'
import { getCalls, damagedLines, getTexts } from '../streams.test-data.ts'
import { homeWith, recordedSessions, transcriptEvents, wholeScript } from '../transcripts.test-data.ts'
import { gemini } from './index.ts'
import { readInPieces } from './records.test-data.ts'

const recorded = recordedSessions(import.meta.url)
const answered = recorded.filter(({ scenario }) => !scenario.startsWith('fault-'))

const readThoughts = (messages: readonly Message[]) =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'thinking' ? [block.subject] : []))

describe.each(answered)('$version $scenario, $way', (session) => {
  it('folds to the model’s messages', async () => {
    const messages = fold(await transcriptEvents(gemini, session.path))
    const script = wholeScript(session)
    expect(getTexts(messages)).toEqual(script.words)
    // ACP sessions of 0.27 contain no calls.
    const tools = session.version === '0.27.4' && session.way === 'acp' ? [] : script.tools
    const ended = ['failing-shell', 'read-missing'].includes(session.scenario) ? 'error' : 'success'
    expect(getCalls(messages)).toEqual(tools.map((name) => [name, ended]))
    if (session.version !== '0.27.4') expect(readThoughts(messages)).toEqual(script.thoughts)
    expect(messages.every(({ _original }) => _original.length > 0)).toBe(true)
    const prompts = messages.filter(({ role, context }) => role === 'user' && !context)
    expect(prompts).toHaveLength(session.script.turns.length)
  })

  it('is listed with its summary', async () => {
    using home = homeWith(gemini, [session])
    const [found, ...others] = await sessions.list({ home: home.home, env: {} })
    expect(others).toEqual([])
    expect(found).toMatchObject({ agent: 'gemini', firstPrompt: session.script.prompt, files: home.files })
    expect(await sessions.find(found!.id, { home: home.home, env: {} })).toEqual(found)
    expect(await sessions.messages(found!.id, { home: home.home, env: {} })).toEqual(
      await sessions.messages(session.path, { home: '/nowhere', env: {} }),
    )
  })
})

it('reads calls with outputs, diffs and token counts', async () => {
  const { path } = recorded.find(({ version, scenario }) => version === '0.61.0' && scenario === 'edit')!
  const events = await transcriptEvents(gemini, path)
  const results = fold(events)
    .flatMap(({ content }) => content)
    .filter((block) => block.type === 'tool_result')
  expect(results.at(-1)).toMatchObject({
    status: 'success',
    content: expect.stringContaining('Successfully modified file') as string,
    display: { fileDiff: expect.stringContaining('+third') as string, fileName: 'plan.txt' },
  })
  expect(totalUsage(events).inputTokens).toBeGreaterThan(0)
})

const lineFiles = recorded.filter(({ path }) => path.endsWith('.jsonl'))
const readLines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

it('continues at any offset of a file with the same result', () => {
  for (const { path } of lineFiles) {
    const lines = readLines(path)
    const whole = readInPieces(lines, [])
    const everywhere = readInPieces(
      lines,
      lines.map((_, index) => index),
    )
    expect(everywhere).toEqual(whole)
  }
})

it('accepts any record without throwing', () => {
  const lines = [...new Set(lineFiles.flatMap(({ path }) => readLines(path)))].slice(0, 200)
  fc.assert(
    fc.property(fc.oneof(damagedLines(lines), fc.array(fc.string())), (damaged) => {
      expect(readInPieces(damaged, []).every((event) => Event.safeParse(event).success)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
