import { expect, it } from 'vitest'
import { listPins, readTable, renderTable } from './lib/matrix.mjs'

const agents = [
  { id: 'one', detection: { package: '@x/one' } },
  { id: 'two', detection: { package: 'two-cli' } },
  { id: 'none', detection: {} },
]
const dependencies = {
  '@x/one': '1.9.0',
  'one-1.10.0': 'npm:@x/one@1.10.0',
  'two-cli': '3.0.0',
  other: '1.0.0',
}
const page = '# Page\n\n<!-- matrix: written by npm run matrix -->\n<!-- end of matrix -->\n\nMore.\n'

it('lists the pinned versions of agents, newest first', () => {
  expect(listPins(agents, dependencies)).toEqual([
    { agent: 'one', version: '1.10.0' },
    { agent: 'one', version: '1.9.0' },
    { agent: 'two', version: '3.0.0' },
  ])
})

it('writes a table, keeps its earlier results, and says what was not run', () => {
  const pins = listPins(agents, dependencies)
  const first = renderTable(page, pins, new Map([['one 1.9.0 acp', '5 passed, 2026-01-02']]))
  const results = readTable(first)
  expect([...results]).toEqual([['one 1.9.0 acp', '5 passed, 2026-01-02']])
  results.set('two 3.0.0 live', '1 of 4 failed, 2026-01-03')
  const second = renderTable(first, pins, results)
  expect(second).toContain('| `one 1.9.0` | not run | not run | 5 passed, 2026-01-02 |')
  expect(readTable(second).get('two 3.0.0 live')).toBe('1 of 4 failed, 2026-01-03')
  const older = first.replaceAll(' live-pty |', '').replaceAll('| not run |\n', '|\n')
  expect([...readTable(older)]).toEqual([['one 1.9.0 acp', '5 passed, 2026-01-02']])
  expect(second.startsWith('# Page\n\n<!--')).toBe(true)
  expect(second.endsWith('-->\n\nMore.\n')).toBe(true)
})
