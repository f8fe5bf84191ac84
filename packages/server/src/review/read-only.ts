/** Restricts `plan` mode further for agents whose permission rules override it: an always-allowed command would run. */
const restrictions: Readonly<Record<string, readonly string[]>> = {
  // MCP servers bring tools that Remora cannot classify.
  claude: ['--strict-mcp-config', '--disallowedTools=Bash,Edit,MultiEdit,Write,NotebookEdit'],
}

/** Returns the arguments for a reviewer in addition to its mode. */
export function getReadOnlyArguments(agent: string): readonly string[] {
  return restrictions[agent] ?? []
}
