import { type Tool, claude } from '@remora/sdk'
import { listTools } from '@remora/sdk/hooks'

/**
 * What narrows the mode `plan` further, for agents in which the user's own rules go before it: a command that he has allowed
 * once and for all would run in a review too.
 */
const narrower: Readonly<Record<string, readonly string[]>> = {
  // Servers of MCP have tools of their own, which nothing here knows.
  claude: ['--strict-mcp-config', `--disallowedTools=${listTools(claude.tools, isWriting).join(',')}`],
}

function isWriting({ kind }: Tool): boolean {
  return kind === 'edit' || kind === 'execute'
}

/** Arguments for a reviewer, beside its mode. @example readOnlyArguments('claude') */
export function readOnlyArguments(agent: string): readonly string[] {
  return narrower[agent] ?? []
}
