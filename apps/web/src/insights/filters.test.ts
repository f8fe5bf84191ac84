import { expect, it } from 'vitest'
import { toQuery, getSpan, useFilters, utcOffset } from './filters.ts'
import { dollars, pathTitle, percent, projectName, short } from './format.ts'

const now = new Date(2026, 2, 2, 15, 30)

it('starts at midnight, so that equal filters give equal queries', () => {
  const filters = { agent: '', project: '/home/me/shop', days: 7 }
  expect(toQuery(filters, now)).toEqual({
    agent: undefined,
    cwd: '/home/me/shop',
    since: new Date(2026, 1, 24).getTime(),
  })
  expect(getSpan(filters, now)).toEqual({ from: '2026-02-24', to: '2026-03-02' })
  expect(toQuery({ agent: 'codex', project: '', days: 0 }, now)).toEqual({
    agent: 'codex',
    cwd: undefined,
    since: undefined,
  })
  expect(getSpan({ ...filters, days: 0 }, now)).toEqual({ to: '2026-03-02' })
  expect(useFilters.getState().days).toBe(30)
  expect(Math.abs(utcOffset())).toBeLessThanOrEqual(900)
})

it('formats numbers and names', () => {
  expect([percent(0, 0), percent(1, 3), percent(1, 50)]).toEqual(['0%', '33%', '2.0%'])
  expect([dollars(0), dollars(0.0012), dollars(1234.5)]).toEqual(['$0', '$0.0012', '$1,234.50'])
  expect([short(950), short(1_234_567)]).toEqual(['950', '1.2M'])
  expect([projectName('/home/me/shop/'), projectName('C:\\work\\a'), projectName('')]).toEqual([
    'shop',
    'a',
    'No folder',
  ])
  expect(pathTitle({ class: 'missing-command', tool: 'Bash', detail: 'jq' })).toBe('jq is not installed')
  expect(pathTitle({ class: 'something new', tool: 'Bash' })).toBe('Bash fails')
})
