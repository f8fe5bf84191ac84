import { describe, expect, it } from 'vitest'
import { agents } from '../../agents/registry.ts'
import { findAgentBelow, findAgentByCommand } from './agent-process.ts'
import type { ListedProcess } from './process-list.ts'

const find = (...argv: string[]): [string, readonly string[]] | undefined => {
  const found = findAgentByCommand(argv, agents())
  return found && [found.agent.id, found.args]
}

describe('findAgentByCommand', () => {
  it('recognises programs, scripts of an interpreter, and titles that programs set', () => {
    expect(find('gemini', '--resume', 'x')).toEqual(['gemini', ['--resume', 'x']])
    expect(find('/usr/bin/node', '/usr/bin/gemini')).toEqual(['gemini', []])
    expect(
      find('node', '--no-warnings=DEP0040', '--max-old-space-size=4096', '/x/gemini.js', '-m', 'p'),
    ).toEqual(['gemini', ['-m', 'p']])
    expect(find('node', '--import', 'tsx', '/l/node_modules/@google/gemini-cli/bundle/main.js')).toEqual([
      'gemini',
      [],
    ])
    expect(find('/home/me/.local/share/claude', '--model', 'x')).toEqual(['claude', ['--model', 'x']])
    expect(find('claude')).toEqual(['claude', []])
    expect(find('bun', 'run', '/x/codex.mjs')).toEqual(['codex', []])
    expect(find('opencode --session ses_1')).toEqual(['opencode', ['--session', 'ses_1']])
  })

  it('does not recognise commands that only mention an agent', () => {
    for (const argv of [
      ['vim', 'gemini'],
      ['grep', '-r', 'claude', '/x/gemini.js'],
      ['tail', '-f', 'codex.log'],
      ['node', '-e', 'gemini'],
      ['node', '/x/gemini-helper.js'],
      ['node', '/home/gemini/server.js'],
      ['sh', '-c', 'gemini'],
      ['node'],
      [''],
    ]) {
      expect(find(...argv), argv.join(' ')).toBeUndefined()
    }
  })
})

describe('findAgentBelow', () => {
  const processes = (...list: [pid: number, parent: number, command: string, foreground?: boolean][]) =>
    new Map(
      list.map(([pid, parent, command, foreground = true]): [number, ListedProcess] => [
        pid,
        { pid, parent, startTime: '1', foreground, argv: command.split(' ') },
      ]),
    )

  it('searches below shells and version managers, but not below an agent', () => {
    const list = processes(
      [1, 0, 'init'],
      [10, 1, '-bash', false],
      [11, 10, 'mise exec node -- gemini', false],
      [12, 11, 'node /x/gemini.js'],
      [13, 12, 'node /x/gemini.js'],
      [14, 13, 'claude mcp serve'],
    )
    expect(findAgentBelow(10, list, agents())?.process.pid).toBe(12)
    expect(findAgentBelow(14, list, agents())).toBeUndefined()
    expect(findAgentBelow(99, list, agents())).toBeUndefined()
  })

  it('prefers the agent in the foreground', () => {
    const list = processes([10, 1, 'bash', false], [11, 10, 'gemini', false], [12, 10, 'codex'])
    expect(findAgentBelow(10, list, agents())?.agent.id).toBe('codex')
  })

  it('leaves out agents without a screen', () => {
    for (const command of [
      'codex exec x',
      'gemini --acp',
      'claude --print x',
      'codex app-server',
      'opencode serve',
    ]) {
      expect(findAgentBelow(10, processes([10, 1, command]), agents()), command).toBeUndefined()
    }
  })
})
