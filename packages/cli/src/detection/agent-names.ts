/** Ids of all agents. Listed here, because help must not load the SDK. A test compares both. */
export const agentNames = ['gemini', 'claude', 'codex', 'opencode', 'kiro'] as const

const titles: Readonly<Record<string, string>> = {
  gemini: 'Gemini',
  claude: 'Claude',
  codex: 'Codex',
  opencode: 'OpenCode',
  kiro: 'Kiro',
}

/** The display name of an agent. @example agentTitle('opencode') // 'OpenCode' */
export function agentTitle(agent: string): string {
  return titles[agent] ?? agent
}
