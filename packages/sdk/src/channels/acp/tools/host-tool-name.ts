/**
 * Which of the program's own tools is meant by a name or title of an agent's; each writes server and tool in its own way.
 *
 * @example hostToolName('mcp__remora__clock', ['clock']) // 'clock'
 */
export function hostToolName(said: string, names: readonly string[]): string | undefined {
  return names.find((name) =>
    [
      `mcp__remora__${name}`,
      `mcp_remora_${name}`,
      `remora_${name}`,
      `remora__${name}`,
      `remora.${name}`,
      `remora/${name}`,
      `${name} (remora MCP Server)`,
    ].includes(said),
  )
}
