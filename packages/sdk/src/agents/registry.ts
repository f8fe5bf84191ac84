import { RemoraError } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { gemini } from './gemini/index.ts'
import { kiro } from './kiro/index.ts'
import { opencode } from './opencode/index.ts'

const registered = new Map<string, Agent>()
for (const agent of [gemini, claude, codex, opencode, kiro]) registered.set(agent.id, agent)

/** Every agent that is known, in the order in which it became so. @example agents().map((agent) => agent.id) */
export function agents(): readonly Agent[] {
  return [...registered.values()]
}

/**
 * The agent with an id, or with a command of that name (`kiro-cli` is Kiro).
 *
 * @example findAgent('gemini')
 */
export function findAgent(id: string): Agent | undefined {
  const word = id.toLowerCase()
  return registered.get(word) ?? agents().find((agent) => agent.detection.command === word)
}

/**
 * Adds an agent of one's own. Returns what takes it away again.
 *
 * @example registerAgent(defineAgent({ id: 'qwen', … }))
 */
export function registerAgent(agent: Agent): () => void {
  if (!/^[a-z][\da-z-]*$/.test(agent.id)) {
    throw new RemoraError('usage', `An agent cannot have the id "${agent.id}"`, {
      hint: 'Use lower-case letters, digits and hyphens.',
    })
  }
  if (registered.has(agent.id)) {
    throw new RemoraError('conflict', `There is an agent "${agent.id}" already`, {
      hint: 'Choose another id.',
    })
  }
  registered.set(agent.id, agent)
  return () => {
    if (registered.get(agent.id) === agent) registered.delete(agent.id)
  }
}

/** How other recorders call the agents. */
const others: Readonly<Record<string, string>> = {
  'gemini-cli': 'gemini',
  'claude-code': 'claude',
  'codex-cli': 'codex',
  'kiro-cli': 'kiro',
}

/** The agent with hooks that is meant, also by the name that it has elsewhere. @example agentOfSource('gemini-cli')?.id // 'gemini' */
export function agentOfSource(name: string): Agent | undefined {
  const word = name.toLowerCase()
  const agent = findAgent(others[word] ?? word)
  return agent?.hooks ? agent : undefined
}

/** Every agent that can be a source, each with its other names. @example sourceNames() // ['gemini (gemini-cli)', …] */
export function sourceNames(): string[] {
  return agents()
    .filter(({ hooks }) => hooks)
    .map(({ id }) => {
      const names = Object.keys(others).filter((name) => others[name] === id)
      return names.length === 0 ? id : `${id} (${names.join(', ')})`
    })
}
