/** The agents that exist. Written out, because help must not wait for the SDK; a test holds it against that. */
export const agentNames = ['gemini', 'claude', 'codex', 'opencode', 'kiro'] as const

const titles: Readonly<Record<string, string>> = {
  gemini: 'Gemini',
  claude: 'Claude',
  codex: 'Codex',
  opencode: 'OpenCode',
  kiro: 'Kiro',
}

/** How an agent is called where it speaks. @example agentTitle('opencode') // 'OpenCode' */
export function agentTitle(agent: string): string {
  return titles[agent] ?? agent
}
