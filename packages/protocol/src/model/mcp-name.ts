import type { Block, ToolUseBlock } from './message.ts'

/** The parts of an MCP tool's name. @example parseMcpName('mcp__github__create_issue') // { server: 'github', tool: 'create_issue' } */
export function parseMcpName(name: string): { server: string; tool: string } | undefined {
  const match = /^mcp__(.+?)__(.+)$/s.exec(name)
  return match ? { server: match[1]!, tool: match[2]! } : undefined
}

/** Whether a block calls a tool of an MCP server. @example blocks.filter(isMcpTool) */
export function isMcpTool(block: Block): block is ToolUseBlock {
  return block.type === 'tool_use' && parseMcpName(block.name) !== undefined
}
