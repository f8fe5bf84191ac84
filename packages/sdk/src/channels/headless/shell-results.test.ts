import type { Event, ToolStatus } from '@remora/protocol'
import { expect, it } from 'vitest'
import { EventMaker } from '../../events/event-maker.ts'
import { ShellResults } from './shell-results.ts'

const maker = new EventMaker({ agent: 'gemini', channel: 'headless', source: 'run', session: 's' })
const { signal } = new AbortController()

const use = (entity: string, name: string): Event =>
  maker.make({ type: 'tool_use', entity, name, input: {}, native: { name, input: {} } })
const result = (entity: string, status: ToolStatus): Event =>
  maker.make({ type: 'tool_result', entity, status, content: 'x' })

it('takes the status of a shell command from the file, also when the file is late', async () => {
  const asked: (readonly string[])[] = []
  const results = new ShellResults(async (calls) => {
    asked.push(calls)
    return new Map<string, ToolStatus>(asked.length < 3 ? [] : [['a', 'error']])
  }, signal)
  const read = use('b', 'Read')
  expect(await results.correct([use('a', 'Bash'), read])).toHaveLength(2)
  expect(asked).toEqual([])
  const corrected = await results.correct([result('a', 'success'), result('b', 'success')])
  expect(corrected).toMatchObject([
    { entity: 'a', status: 'error', content: 'x' },
    { entity: 'b', status: 'success' },
  ])
  expect(asked).toEqual([['a'], ['a'], ['a']])
  expect(await results.rest()).toEqual([])
})

it('corrects the result at the end when the file had it too late', async () => {
  let written = false
  const results = new ShellResults(
    async () => new Map<string, ToolStatus>(written ? [['a', 'timeout']] : []),
    signal,
  )
  await results.correct([use('a', 'Bash')])
  expect(await results.correct([result('a', 'success')])).toMatchObject([{ status: 'success' }])
  written = true
  expect(await results.rest()).toEqual([
    { type: 'tool_result', entity: 'a', status: 'timeout', content: 'x' },
  ])
})

it('keeps the events unchanged when the file is unreadable', async () => {
  const results = new ShellResults(async () => {
    throw new Error('unreadable')
  }, signal)
  const events = [use('a', 'Bash'), result('a', 'success')]
  expect(await results.correct(events)).toEqual(events)
})
