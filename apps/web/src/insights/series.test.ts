import { describe, expect, it } from 'vitest'
import { fitted, spread, stacked, totals } from './series.ts'

const options = { getName: (key: string) => key.toUpperCase(), others: 'Others' }

describe('series of a chart', () => {
  it('puts the largest first, combines the small ones, and keeps the total', () => {
    const values = Object.fromEntries('abcdefgh'.split('').map((key, index) => [key, index + 1]))
    const data = stacked(
      [
        { day: '1', values },
        { day: '2', values: { h: 1 } },
      ],
      options,
    )
    expect(data.series.map(({ name }) => name)).toEqual(['H', 'G', 'F', 'E', 'D', 'Others'])
    expect(data.series.at(-1)!.values).toEqual([6, 0])
    expect(totals(data)).toEqual([36, 1])
    expect(new Set(data.series.map(({ color }) => color)).size).toBe(6)
  })

  it('names a sixth series instead of combining it alone', () => {
    const values = Object.fromEntries('abcdef'.split('').map((key) => [key, 1]))
    expect(stacked([{ day: '1', values }], options).series).toHaveLength(6)
    expect(stacked([], options)).toEqual({ labels: [], series: [] })
  })

  it('combines many days into weeks that end with the last day', () => {
    const days = Array.from({ length: 100 }, (_, index) => ({ day: `d${index}`, values: { a: 1 } }))
    const { data, by } = fitted(stacked(days, options))
    expect(by).toBe('week')
    expect(data.labels.slice(0, 3)).toEqual(['d0', 'd2', 'd9'])
    expect(totals(data).slice(0, 2)).toEqual([2, 7])
    expect(totals(data).at(-1)).toBe(7)
    expect(totals(data).reduce((sum, each) => sum + each)).toBe(100)
    expect(fitted(stacked(days.slice(0, 92), options)).by).toBe('day')
  })

  it('covers the chosen period, including empty days', () => {
    const days = [{ day: '2026-02-28', count: 4 }]
    const span = { from: '2026-02-26', to: '2026-03-02' }
    expect(spread(days, span, { count: 0 })).toEqual([
      { day: '2026-02-26', count: 0 },
      { day: '2026-02-27', count: 0 },
      { day: '2026-02-28', count: 4 },
      { day: '2026-03-01', count: 0 },
      { day: '2026-03-02', count: 0 },
    ])
    expect(spread(days, { to: '2026-02-27' }, { count: 0 })).toEqual(days)
    expect(spread([], span, {})).toEqual([])
  })
})
