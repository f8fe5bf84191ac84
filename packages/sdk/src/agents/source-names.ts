import type { Agent } from '../contract/agent.ts'
import { agents, findAgent } from './registry.ts'

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
