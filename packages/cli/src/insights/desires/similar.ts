import type { CallEntry, Ledger } from '@remora/ledger'
import { agents, listTools as listNativeTools } from '@remora/sdk/hooks'
import { readFilter } from '../../args/filter-options.ts'
import { countOption } from '../../args/time-option.ts'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { colors } from '../../output/colors.ts'
import { table } from '../../output/table.ts'
import { writeAll } from '../../output/write-all.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { toCell } from './format-call.ts'

/** Shows existing tools with names similar to a missing one. */
export async function showSimilar(input: Input, io: Io): Promise<number> {
  const { known, threshold, top, limit = top, json } = input.values
  const name = input.positionals[1]!.trim()
  const { similar } = await import('@remora/insights')
  const { agent } = readFilter(input, io)
  const least = readThreshold(threshold)
  const count = typeof limit === 'string' ? countOption('top', limit) : 5
  return readLedger(io, async (ledger) => {
    const owners =
      typeof known === 'string'
        ? new Map(words(known).map((tool) => [tool, '--known']))
        : await listTools(ledger, agent ?? (await findAgentOfTool(ledger, name)))
    const aliases = await readAliases(io)
    const alias = aliases.find((each) => each.from === name && each.kind === 'tool')
    const found = similar(
      name,
      [...owners.keys()].filter((tool) => tool !== name),
      {
        threshold: least,
        top: count,
        alias: () => alias?.to,
      },
    )
    const owner = (tool: string): string => (alias ? 'alias' : (owners.get(tool) ?? '-'))
    if (json) {
      const result = {
        name,
        alias: alias?.to ?? null,
        similar: found.map((tool) => ({ ...tool, from: owner(tool.name) })),
      }
      return writeAll(io, [`${JSON.stringify(result, null, 2)}\n`])
    }
    if (found.length === 0) {
      io.err(
        `No match for "${name}" among ${owners.size} known tools.\n  Lower --threshold, or name tools to compare with: --known a,b\n`,
      )
      return 0
    }
    const rows = found.map((tool) => ({
      cells: [tool.score.toFixed(2), toCell(tool.name, 80), owner(tool.name)],
    }))
    const columns = [
      { title: 'SCORE', align: 'right' as const },
      { title: 'TOOL', least: 16 },
      { title: 'FROM', least: 8 },
    ]
    const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
    return writeAll(
      io,
      lines.map((line) => `${line}\n`),
    )
  })
}

function readThreshold(text: unknown): number {
  if (typeof text !== 'string') return 0.5
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new UsageError(`Invalid value "${text}" for --threshold`, 'Use a number from 0 to 1')
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

/** The agent that last tried a tool of this name. */
async function findAgentOfTool(ledger: Ledger, name: string): Promise<string | undefined> {
  return (await ledger.calls({ tool: name, failed: true, limit: 1 }))[0]?.agent
}

/** All tools of an agent, or of all agents, with the source of each. */
async function listTools(ledger: Ledger, agent: string | undefined): Promise<Map<string, string>> {
  const tools = new Map<string, string>()
  for (const { id, tools: own = {} } of agents())
    if (agent === undefined || id === agent)
      for (const name of listNativeTools(own)) tools.set(name, `${id}, built in`)
  // Tools of MCP servers and other tools that worked before.
  for (const call of await ledger.calls({ failed: false, ...(agent ? { agent } : {}) })) {
    const name = getName(call)
    if (name === undefined || tools.has(name)) continue
    const server = getServer(call.tool)
    tools.set(name, `${call.agent}, ${server === undefined ? 'used before' : `MCP server ${server}`}`)
  }
  return tools
}

/** Codex reports calls by kind, not by the name that the model used. */
const items = new Set(['command_execution', 'file_change', 'mcp_tool_call', 'todo_list', 'collab_tool_call'])

/** The agent's own name of a tool. */
function getName({ tool, native }: CallEntry): string | undefined {
  if (!items.has(native)) return native
  return getServer(tool) === undefined ? undefined : tool
}

function getServer(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1]
}
