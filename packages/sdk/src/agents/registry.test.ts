import { describe, expect, it } from 'vitest'
import { capabilities, defineAgent } from '../contract/agent.ts'
import { agents, findAgent, registerAgent } from './registry.ts'

const qwen = defineAgent({
  id: 'qwen',
  title: 'Qwen Code',
  detection: { variable: 'QWEN_CLI_PATH', command: 'qwen', install: 'npm install -g @qwen-code/qwen-code' },
  features: () => ({
    permissionModes: ['default'],
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
  acp: { invocation: () => ({ args: ['--acp'] }), modes: {}, toClaude: (name, input) => ({ name, input }) },
})

describe('the registry', () => {
  it('knows five agents, each under one id, variable and command', () => {
    expect(agents().map((agent) => agent.id)).toEqual(['gemini', 'claude', 'codex', 'opencode', 'kiro'])
    for (const key of ['variable', 'command'] as const) {
      expect(new Set(agents().map((agent) => agent.detection[key])).size).toBe(5)
    }
  })

  it('finds by id and by command, in any case', () => {
    expect(findAgent('gemini')?.title).toBe('Gemini CLI')
    expect(findAgent('Gemini')?.id).toBe('gemini')
    expect(findAgent('kiro-cli')?.id).toBe('kiro')
    expect(findAgent('nothing')).toBeUndefined()
  })

  it('takes an agent of one’s own and gives it back', () => {
    const remove = registerAgent(qwen)
    expect(findAgent('qwen')).toBe(qwen)
    expect(agents().at(-1)).toBe(qwen)
    remove()
    remove()
    expect(findAgent('qwen')).toBeUndefined()
    expect(agents()).toHaveLength(5)
  })

  it('refuses an id that is taken, and one that is none', () => {
    expect(() => registerAgent({ ...qwen, id: 'gemini' })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(() => registerAgent({ ...qwen, id: 'Qwen Code' })).toThrow(
      expect.objectContaining({ code: 'usage' }),
    )
  })
})

describe('capabilities', () => {
  it('has what the parts decide', () => {
    expect(capabilities(qwen)).toMatchObject({
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
