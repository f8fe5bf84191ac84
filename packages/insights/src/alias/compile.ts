import type { Alias } from './alias.ts'
import type { AgentRules, PaveDialect, PaveEdit, PaveRefusal, PaveRules } from '../pave/rules.ts'

/** A CLI whose calls can be corrected, with its names. The caller provides it, because this package knows no agents. */
export interface PaveAgent {
  readonly id: string
  readonly dialect: PaveDialect
  /** The CLI's own names for a tool, given by Claude's name or its own. */
  tools(tool: string): readonly string[]
  /** The same for a parameter. */
  params(param: string): readonly string[]
}

/**
 * Compiles aliases to the rules that the hook reads, with each CLI's own names.
 *
 * @example compileRules(aliases, [{ id: 'gemini', dialect: 'tool-input', tools, params }])
 */
export function compileRules(aliases: readonly Alias[], agents: readonly PaveAgent[]): PaveRules {
  return {
    version: 1,
    agents: Object.fromEntries(agents.map((agent) => [agent.id, forAgent(aliases, agent)])),
  }
}

function forAgent(aliases: readonly Alias[], agent: PaveAgent): AgentRules {
  const own = aliases.filter((alias) => alias.agent === undefined || alias.agent === agent.id)
  return {
    dialect: agent.dialect,
    refusals: withoutCircles(own.flatMap((alias) => (alias.kind === 'tool' ? refusals(alias, agent) : []))),
    edits: own.flatMap((alias) => (alias.kind === 'tool' ? [] : [edit(alias, alias.kind, agent)])),
  }
}

interface Recommended extends PaveRefusal {
  /** The recommended tool. */
  readonly instead: string
}

/** Leaves out refusals that recommend each other, because then none of the tools could be called. */
function withoutCircles(all: readonly Recommended[]): PaveRefusal[] {
  const next = new Map(all.toReversed().map(({ tool, instead }) => [tool, instead]))
  const circles = ({ tool }: Recommended): boolean => {
    let at = next.get(tool)
    for (let steps = 0; at !== undefined && at !== tool && steps < next.size; steps++) at = next.get(at)
    return at === tool
  }
  return all.filter((each) => !circles(each)).map(({ tool, reason }) => ({ tool, reason }))
}

function refusals({ from, to, message }: Alias, agent: PaveAgent): Recommended[] {
  const right = agent.tools(to)
  const instead = right[0] ?? to
  const reason = `Use the tool ${instead} instead of this one.${message ? ` ${message}` : ''}`
  // The recommended tool must stay callable, also if one of Claude's names means several tools.
  return agent.tools(from).flatMap((tool) => (right.includes(tool) ? [] : [{ tool, reason, instead }]))
}

function edit(alias: Alias, kind: PaveEdit['kind'], agent: PaveAgent): PaveEdit {
  const { from, to, tool, param, command, message } = alias
  const shell = kind === 'command' || kind === 'flag' || kind === 'recipe' || command !== undefined
  const tools = shell ? agent.tools('Bash') : tool === undefined ? undefined : agent.tools(tool)
  const params = shell ? agent.params('command') : param === undefined ? undefined : agent.params(param)
  return {
    kind,
    from,
    to,
    ...(tools ? { tools } : {}),
    ...(params ? { params } : {}),
    ...(command === undefined ? {} : { command }),
    ...(message === undefined ? {} : { message }),
  }
}
