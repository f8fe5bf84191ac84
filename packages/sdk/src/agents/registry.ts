import { RemoraError } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import { builtInAgents } from './built-in.ts'

const registered = new Map<string, Agent>()
for (const agent of builtInAgents) registered.set(agent.id, agent)

/** Lists all agents in the order of their registration. @example agents().map((agent) => agent.id) */
export function agents(): readonly Agent[] {
  return [...registered.values()]
}

/**
 * Finds an agent by its id, its command or another name.
 *
 * @example findAgent('gemini')
 */
export function findAgent(id: string): Agent | undefined {
  const word = id.toLowerCase()
  return registered.get(word) ?? agents().find((agent) => isNamed(agent, word))
}

function isNamed({ detection, aliases }: Agent, word: string): boolean {
  return detection.command === word || aliases?.includes(word) === true
}

/** Finds an agent like `findAgent`, and throws `usage` for an unknown one. @example getAgent('gemini').title */
export function getAgent(id: string): Agent {
  const found = findAgent(id)
  if (found) return found
  throw new RemoraError('usage', `There is no agent "${id}"`, { hint: `Known agents: ${listAgentIds()}` })
}

/** The ids of all agents for a message. @example listAgentIds() // 'gemini, claude, …' */
export function listAgentIds(): string {
  return [...registered.keys()].join(', ')
}

/**
 * Adds an agent. Returns the function that removes it.
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

/** Finds an agent with hooks by its id or its name in other recorders. @example findAgentBySource('gemini-cli')?.id // 'gemini' */
export function findAgentBySource(name: string): Agent | undefined {
  const agent = findAgent(name)
  return agent?.hooks ? agent : undefined
}

/** Lists the agents with hooks, each with its other names. @example sourceNames() // ['gemini (gemini-cli)', …] */
export function sourceNames(): string[] {
  return agents()
    .filter(({ hooks }) => hooks)
    .map(({ id, aliases = [] }) => (aliases.length === 0 ? id : `${id} (${aliases.join(', ')})`))
}
