import { type ModeInfo, findMode, getModeName, isSelfApproving, modeLikes } from '@remora/protocol/plain'
import { describe, expect, it } from 'vitest'
import { agents } from '../agents/registry.ts'
import { run } from '../api/run.ts'
import { capabilities } from './agent.ts'
import { checkModeWord, getStartMode, listModes, requireMode, toMode, toModeName } from './modes.ts'

describe('toMode', () => {
  it('accepts the names of the main modes and the words that they are like', () => {
    expect(
      ['default', 'ask', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'bypass'].map(toMode),
    ).toEqual(['default', 'default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'bypassPermissions'])
  })

  it('accepts no other word', () => {
    expect(['yolo', 'Ask', '', 'toString', undefined].map(toMode)).toEqual(Array(5).fill(undefined))
  })
})

describe('isSelfApproving', () => {
  it.each(['auto', 'bypassPermissions', 'yolo', 'full-access', 'agent-full-access', 'YOLO', 'autopilot'])(
    'is true for %s',
    (mode) => expect(isSelfApproving(mode)).toBe(true),
  )

  it.each(['default', 'ask', 'acceptEdits', 'auto-edit', 'autoEdit', 'plan', 'dontAsk', 'build', 'code'])(
    'is false for %s',
    (mode) => expect(isSelfApproving(mode)).toBe(false),
  )

  it('uses the name only where it is unknown what a mode is like', () => {
    expect(isSelfApproving({ id: 'auto', like: 'ask' })).toBe(false)
    expect(isSelfApproving({ id: 'quiet', like: 'bypass' })).toBe(true)
    expect(isSelfApproving({ id: 'yolo' })).toBe(true)
  })
})

/** Every agent with modes, in its newest version and in those before one of its modes. */
const versions = agents()
  .filter(({ modes }) => modes !== undefined)
  .flatMap((agent) => [
    { agent, name: agent.id, version: undefined },
    ...agent.modes!.flatMap(({ since }) =>
      since === undefined ? [] : [{ agent, name: `${agent.id} before ${since}`, version: `${since}-0` }],
    ),
  ])

describe.each(versions)('the modes of $name', ({ agent, version }) => {
  const modes = listModes(agent, version)

  it('are found by native id, alias, and what they are like', () => {
    const firsts = new Set<unknown>()
    for (const mode of modes) {
      for (const word of [mode.id, ...(mode.aliases ?? [])]) expect(findMode(modes, word)).toBe(mode)
      const like = modes.find((each) => each.like === mode.like)
      expect(findMode(modes, mode.like)).toBe(like)
      expect(findMode(modes, getModeName(modes, mode))).toBe(mode)
      firsts.add(like)
    }
    expect(modeLikes.filter((like) => findMode(modes, like))).toHaveLength(firsts.size)
  })

  it('have the mode of a new session, a label each, and no name twice', async () => {
    const start = await getStartMode(agent, { env: {}, home: '/nowhere', cwd: '/nowhere' })
    expect(findMode(modes, start.mode)).toBeDefined()
    const names = modes.flatMap(({ id, aliases = [] }) => [id, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(modes.map(({ label }) => label)).size).toBe(modes.length)
    expect(modes.every(({ like }) => like !== undefined)).toBe(true)
  })

  it('have the same command line by every name', () => {
    for (const mode of modes) {
      const words = [mode.id, ...(mode.aliases ?? []), getModeName(modes, mode)]
      const lines = words.map((word) => {
        const name = toModeName(agent, word, version)
        return [
          agent.headless?.invocation({ prompt: 'hi', mode: name }, version),
          agent.terminal?.invocation({ mode: name }, version),
        ]
      })
      for (const line of lines) expect(line).toEqual(lines[0])
    }
  })

  it('are refused in a version without them', () => {
    for (const mode of agent.modes!.filter((each) => !modes.includes(each))) {
      expect(() => requireMode(agent, mode.id, version)).toThrow(
        expect.objectContaining({ code: 'unsupported', hint: expect.stringContaining(mode.since!) }),
      )
      expect(() => checkModeWord(agent, mode.id)).not.toThrow()
    }
    for (const like of modeLikes.filter((each) => !findMode(agent.modes!, each)))
      expect(() => requireMode(agent, like, version)).toThrow(
        expect.objectContaining({ code: 'unsupported' }),
      )
    const unknown = expect.objectContaining({
      code: 'usage',
      hint: expect.stringContaining(agent.modes![0]!.id),
    })
    expect(() => checkModeWord(agent, 'no-such-mode')).toThrow(unknown)
    expect(() => run(agent, { prompt: 'hi', mode: 'no-such-mode' })).toThrow(unknown)
  })

  it('are what clients get, without its command lines', () => {
    const can = capabilities(agent, version)
    expect(can.modes.map(({ id }) => id)).toEqual(modes.map(({ id }) => id))
    const fields = new Set<keyof ModeInfo>(['id', 'label', 'like', 'aliases', 'asks'])
    for (const mode of can.modes)
      expect(Object.keys(mode).filter((key) => !fields.has(key as keyof ModeInfo))).toEqual([])
    expect(can.permissionModes.includes('default')).toBe(findMode(modes, 'ask') !== undefined)
  })
})
