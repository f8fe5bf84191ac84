import { expect, it } from 'vitest'
import { formatDifferences } from './check.ts'
import { compareReadings, readRecording } from './read-recording.ts'
import { readFixtures } from './store.ts'
import { fixtureChannels, type Job } from './recording.ts'

const job: Job = {
  agent: 'codex',
  version: '0.169.0',
  scenario: { name: 'shell', title: '', prompt: '', turns: [] },
  channels: fixtureChannels,
}

it('finds that a reader fails on a renamed record, and what it reads instead', async () => {
  const files = await readFixtures(job)
  const renamed = new Map(
    [...files].map(([name, text]) => [name, text.replaceAll('item.completed', 'item.over')]),
  )
  const before = readRecording('codex', files).get('stream')!
  const now = readRecording('codex', renamed).get('stream')!
  expect(before).toEqual(expect.arrayContaining(['tool_use Bash', 'tool_result success', 'text']))
  expect(compareReadings(before, before)).toBeUndefined()
  expect(compareReadings(before, now)).toMatch(/^no longer reads .*text.*; reads unknown instead$/)
})

it('does not count more of the same, or another known event, as a failure', () => {
  expect(compareReadings(['text', 'done'], ['text', 'text', 'usage', 'done'])).toBeUndefined()
  expect(compareReadings(['text'], ['text', 'unknown'])).toBe('reads unknown')
})

it('reads the hooks of a recording', async () => {
  const events = readRecording('codex', await readFixtures(job)).get('hooks')!
  expect(events).toEqual(expect.arrayContaining(['tool_use Bash', 'tool_result success']))
})

it('lists what breaks first', () => {
  expect(
    formatDifferences([
      { consequence: 'new', text: 'a new field' },
      { consequence: 'cosmetic', text: 'another type' },
      { consequence: 'breaks', text: 'a screen is gone' },
    ]),
  ).toEqual([
    'Breaks a reader, or may do so (1):',
    '  a screen is gone',
    'New, and not read yet (1):',
    '  a new field',
    'Changed, but read the same (1):',
    '  another type',
  ])
  expect(formatDifferences([])).toEqual([])
})
