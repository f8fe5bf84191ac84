import { describe, expect, it } from 'vitest'
import { withoutChance } from './chance.ts'
import { recorderParts } from '../recorder-parts.ts'
import { toScenario, seen } from './play.ts'

const screen = { title: 'Ready', text: 'first row\nsecond row', cursor: { x: 0, y: 0 } }

describe('plays', () => {
  it('see a screen by its title and all that must be there, and by what must not', () => {
    expect(seen({ see: /^Ready$/m }, screen)).toBe(true)
    expect(seen({ see: [/first/, /second/] }, screen)).toBe(true)
    expect(seen({ see: [/first/, /third/] }, screen)).toBe(false)
    expect(seen({ see: /first/, not: /second/ }, screen)).toBe(false)
  })

  it('have names of their own and keep each screen once', () => {
    for (const { plays } of recorderParts.values()) {
      const names = plays.map(({ name }) => name)
      expect(names).toEqual([...new Set(names)])
      for (const { steps } of plays) {
        const kept = steps.flatMap((step) => ('keep' in step && step.keep !== undefined ? [step.keep] : []))
        expect(kept).not.toEqual([])
        expect(kept).toEqual([...new Set(kept)])
      }
    }
  })

  it('are scenarios by name', () => {
    expect(toScenario({ name: 'modes', steps: [] })).toMatchObject({
      name: 'modes',
      turns: [[{ text: 'Well.' }]],
    })
  })
})

describe('withoutChance', () => {
  it.each([
    ['✻ Baked for 12s', '✻ Worked for 0s'],
    ['✶ Wibbling… (2s · ↓ 1 tokens)', '✻ Working… (0s)'],
    ['title: ⠐ Claude Code', 'title: ⠂ Claude Code'],
    [' ⠸ Weighing it (esc to cancel, 1m 3s)', ' ⠋ Weighing it (esc to cancel, 0s)'],
    [' ⠸ Try /help… (esc to cancel, 3s)', ' ⠋ Thinking… (esc to cancel, 0s)'],
    ['1. Yes', '1. Yes'],
  ])('makes %j constant', (from, to) => {
    expect(withoutChance(from)).toBe(to)
    expect(withoutChance(to)).toBe(to)
  })
})
