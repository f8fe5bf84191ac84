import { describe, expect, it } from 'vitest'
import { call, minute, now } from '../calls.test-data.ts'
import { type Decision, type ModeChange, findUnasked } from './unasked.ts'

const session = { agent: 'claude', session: 's1' }
const decision = (about: Partial<Decision>): Decision => ({ ...session, at: now, effect: 'allow', ...about })
const mode = (like: ModeChange['like'], at = 0): ModeChange => ({ ...session, at, like })
const shell = (command: string, about = {}) => call({ input: { command }, ...about })
const edit = () => call({ tool: 'Edit', input: { file_path: 'a.ts' } })

describe('findUnasked', () => {
  it('leaves out what a person decided, whether the request named the call or not', () => {
    const named = shell('rm a')
    const near = shell('rm b', { at: now - minute / 2, endedAt: now + minute })
    const other = shell('rm c', { at: now - 10 * minute, endedAt: now - 9 * minute })
    const { ran, answered } = findUnasked(
      [named, near, other],
      [
        decision({ call: named.entity, effect: 'allow' }),
        decision({ call: 'unknown', tool: 'Bash', effect: 'allow', at: now }),
      ],
      [],
    )
    expect(ran.map(({ call: { entity } }) => entity)).toEqual([other.entity])
    expect(answered).toBe(2)
  })

  it('does not take the request of another session or tool for an answer', () => {
    const one = shell('rm a')
    const { ran } = findUnasked(
      [one],
      [
        decision({ session: 's2', call: one.entity, effect: 'allow' }),
        decision({ tool: 'Edit', effect: 'allow' }),
      ],
      [],
    )
    expect(ran).toMatchObject([{ call: one, reason: 'unknown' }])
  })

  it.each([
    ['bypass', 'bypass', 'bypass'],
    ['auto', 'auto', 'auto'],
    ['acceptEdits', 'acceptEdits', 'unknown'],
    ['ask', 'unknown', 'unknown'],
    [undefined, 'unknown', 'unknown'],
  ] as const)('gives the mode %s as the reason where it is one', (like, ofEdit, ofCommand) => {
    const calls = [edit(), shell('make')]
    const { ran } = findUnasked(calls, [], [mode(like)])
    const reasons = calls.map((each) => ran.find((found) => found.call === each)?.reason)
    expect(reasons).toEqual([ofEdit, ofCommand])
  })

  it('takes the mode at the time of the call', () => {
    const early = shell('make', { at: now - minute })
    const late = shell('make', { at: now + minute })
    const { ran } = findUnasked([early, late], [], [mode('ask'), mode('bypass', now)])
    expect(ran.map(({ call: { at }, reason }) => [at, reason])).toEqual([
      [late.at, 'bypass'],
      [early.at, 'unknown'],
    ])
  })

  it('names rules, calls allowed for the session, and calls that no agent asks for', () => {
    const first = shell('make', { at: now - minute })
    const [second, third] = [shell('make all'), call({ tool: 'Read', input: { file_path: 'a.ts' } })]
    const ruled = edit()
    const { ran, answered } = findUnasked(
      [first, second, third, ruled],
      [
        decision({
          call: first.entity,
          tool: 'Bash',
          input: { command: 'make' },
          effect: 'allow_always',
          at: now - minute + 1,
        }),
        decision({ call: ruled.entity, tool: 'Edit', effect: 'allow', rule: 'rule 1, allow Edit' }),
      ],
      [],
    )
    expect(answered).toBe(1)
    expect(ran.map(({ call: each, reason, rule }) => [each.entity, reason, rule])).toEqual(
      expect.arrayContaining([
        [second.entity, 'always', undefined],
        [third.entity, 'free', undefined],
        [ruled.entity, 'rule', 'rule 1, allow Edit'],
      ]),
    )
  })

  it('takes "always" for no reason of another program, or of one that was not shown', () => {
    const first = shell('make', { at: now - minute })
    const [other, same] = [shell('rm -rf build'), shell('make all')]
    const always = (input?: unknown) =>
      decision({ call: first.entity, tool: 'Bash', input, effect: 'allow_always', at: now - minute + 1 })
    const reasons = (input?: unknown) =>
      findUnasked([first, other, same], [always(input)], []).ran.map(({ reason }) => reason)
    expect(reasons({ command: 'make' })).toEqual(['unknown', 'always'])
    expect(reasons()).toEqual(['unknown', 'unknown'])
  })

  it('does not explain an edit outside the project by the mode that accepts edits', () => {
    const outside = call({ tool: 'Write', input: { file_path: '/etc/hosts' }, cwd: '/home/ann/app' })
    const { ran } = findUnasked([outside], [], [mode('acceptEdits')])
    expect(ran).toMatchObject([{ reason: 'unknown', level: 'high' }])
  })

  it('lists what was blocked without a person, and what a rule denied', () => {
    const blocked = shell('git push', { status: 'denied' })
    const ruled = shell('rm a', { status: 'denied' })
    const refused = shell('rm b', { status: 'denied' })
    const report = findUnasked(
      [blocked, ruled, refused],
      [
        decision({ call: ruled.entity, effect: 'deny', rule: 'rule 2, deny Bash(rm *)' }),
        decision({ call: refused.entity, effect: 'deny' }),
      ],
      [mode('auto')],
    )
    expect(report.ran).toEqual([])
    expect(report.blocked.map(({ call: each, reason }) => [each.entity, reason])).toEqual([
      [ruled.entity, 'rule'],
      [blocked.entity, 'unknown'],
    ])
  })

  it.each(['running', 'cancelled'] as const)('leaves out a call that is %s', (status) => {
    expect(findUnasked([shell('rm a', { status })], [], [])).toMatchObject({
      ran: [],
      blocked: [],
      answered: 0,
    })
  })

  it('sorts by risk, then by time', () => {
    const calls = [
      shell('ls'),
      shell('rm a'),
      shell('curl x'),
      shell('rm b'),
      call({ tool: 'Read', input: {} }),
    ]
    const { ran } = findUnasked(calls, [], [])
    expect(ran.map(({ level }) => level)).toEqual(['high', 'high', 'medium', 'low', 'none'])
    expect(ran[0]!.call).toBe(calls[3])
  })
})
