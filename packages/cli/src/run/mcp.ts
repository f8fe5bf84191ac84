import type { Verb } from '../command/verb.ts'

export const mcp: Verb = {
  name: 'mcp',
  description: 'Run an MCP server that lets an agent use other agents’ sessions',
  options: {},
  examples: [
    'claude mcp add remora -- remora mcp',
    'gemini mcp add remora remora mcp',
    'codex mcp add remora -- remora mcp',
  ],
  async run(_, io) {
    const { serveMcp } = await import('./mcp/serve-mcp.ts')
    return serveMcp(io, { input: process.stdin, output: process.stdout })
  },
}
