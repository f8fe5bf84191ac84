import { describe, expect, it } from 'vitest'
import { capabilities, defineAgent } from '../contract/agent.ts'
import { builtInAgents } from './built-in.ts'
import { agents, findAgent, registerAgent } from './registry.ts'

const other = defineAgent({
  id: 'other',
  title: 'Other CLI',
  detection: { variable: 'OTHER_CLI_PATH', command: 'other', install: 'npm install -g other' },
  features: () => ({
    interrupt: false,
    resume: true,
    fork: false,
    attach: false,
    statusLine: false,
    images: false,
    streaming: true,
    webSearch: false,
    thinking: false,
    slashCommands: false,
    models: [],
    effortLevels: [],
  }),
  acp: { invocation: () => ({ args: ['--acp'] }), toClaude: (name, input) => ({ name, input }) },
})

describe('the registry', () => {
  it('has built-in agents, each under one id, variable and command', () => {
    expect(agents()).toEqual(builtInAgents)
    for (const key of ['variable', 'command'] as const) {
      expect(new Set(agents().map((agent) => agent.detection[key])).size).toBe(builtInAgents.length)
    }
  })

  it('finds by id and by command, in any case', () => {
    expect(findAgent('gemini')?.title).toBe('Gemini CLI')
    expect(findAgent('Gemini')?.id).toBe('gemini')
    expect(findAgent('kiro-cli')?.id).toBe('kiro')
    expect(findAgent('nothing')).toBeUndefined()
  })

  it('takes an agent of one’s own and gives it back', () => {
    const remove = registerAgent(other)
    expect(findAgent('other')).toBe(other)
    expect(agents().at(-1)).toBe(other)
    remove()
    remove()
    expect(findAgent('other')).toBeUndefined()
    expect(agents()).toHaveLength(builtInAgents.length)
  })

  it('refuses an id that is taken, and one that is none', () => {
    expect(() => registerAgent({ ...other, id: 'gemini' })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(() => registerAgent({ ...other, id: 'Other CLI' })).toThrow(
      expect.objectContaining({ code: 'usage' }),
    )
  })
})

describe('capabilities', () => {
  it('has what the parts decide', () => {
    expect(capabilities(other)).toMatchObject({
      channels: ['acp'],
      planMode: false,
      permissionModeSwitch: 'none',
      resume: true,
    })
  })

  it.each([
    ['gemini', ['transcripts', 'acp', 'headless', 'hooks', 'terminal'], true, 'cycle'],
    ['claude', ['transcripts', 'acp', 'headless', 'hooks', 'terminal'], true, 'cycle'],
    ['codex', ['transcripts', 'acp', 'headless', 'hooks', 'terminal'], true, 'toggle'],
    ['opencode', ['transcripts', 'acp', 'headless', 'hooks', 'terminal'], true, 'toggle'],
    ['kiro', ['hooks'], false, 'none'],
  ] as const)('of %s', (id, channels, planMode, permissionModeSwitch) => {
    const agent = findAgent(id)
    if (!agent) throw new Error(id)
    expect(capabilities(agent)).toMatchObject({ channels, planMode, permissionModeSwitch })
  })
})
