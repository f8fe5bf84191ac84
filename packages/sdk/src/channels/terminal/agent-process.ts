import { basename } from 'node:path'
import type { Agent } from '../../contract/agent.ts'
import type { ListedProcess } from './process-list.ts'

/** An agent among the processes of a pane. */
export interface AgentProcess {
  readonly agent: Agent
  readonly process: ListedProcess
  readonly args: readonly string[]
}

/**
 * Finds the agent that runs in a pane: the pane's own process or a descendant, with shells and version managers in
 * between. Descendants of an agent are its own helpers and are not searched.
 *
 * @example findAgentBelow(panePid, processes, agents())?.args
 */
export function findAgentBelow(
  root: number,
  processes: ReadonlyMap<number, ListedProcess>,
  agents: readonly Agent[],
): AgentProcess | undefined {
  const found: AgentProcess[] = []
  const queue = [root]
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    const process = processes.get(pid)
    const known = process && findAgentByCommand(process.argv, agents)
    if (process && known) {
      if (!isHelper(known.args)) found.push({ ...known, process })
      continue
    }
    for (const child of processes.values()) if (child.parent === pid) queue.push(child.pid)
  }
  return found.find(({ process }) => process.foreground) ?? found[0]
}

/** A process and all its descendants. */
export function listTree(root: number, processes: ReadonlyMap<number, ListedProcess>): number[] {
  const tree = [root]
  for (let index = 0; index < tree.length; index++) {
    for (const child of processes.values()) if (child.parent === tree[index]) tree.push(child.pid)
  }
  return tree
}

/** Finds the agent of a command line: the program itself, or its script run by an interpreter. */
export function findAgentByCommand(
  argv: readonly string[],
  agents: readonly Agent[],
): { agent: Agent; args: readonly string[] } | undefined {
  const [first = '', ...rest] = splitTitle(argv)
  const direct = agents.find(({ detection }) => getProgramName(first) === detection.command)
  if (direct) return { agent: direct, args: rest }
  if (!/^(?:node|nodejs|bun|deno|tsx)(?:-?\d+)?$/.test(getProgramName(first))) return undefined
  const at = findScript(rest)
  const script = rest[at]
  if (script === undefined) return undefined
  const agent = agents.find(({ detection }) => isAgentScript(script, detection.command, detection.package))
  return agent && { agent, args: rest.slice(at + 1) }
}

/** A program may have replaced its command line by a title, which is then a single argument. */
function splitTitle(argv: readonly string[]): readonly string[] {
  const [only] = argv
  return argv.length === 1 && only !== undefined && !only.startsWith('/') ? only.trim().split(/\s+/) : argv
}

function getProgramName(path: string): string {
  return basename(path)
    .replace(/^-/, '')
    .replace(/\.exe$/i, '')
}

/** Options of the interpreter whose value is the next argument. */
const withValue = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
])
/** Options that replace the script. */
const withCode = new Set(['-e', '--eval', '-p', '--print', '-c', '--check'])

function findScript(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index]!
    if (withCode.has(arg)) return -1
    if (withValue.has(arg)) index++
    else if (!arg.startsWith('-') && arg !== 'run') return index
  }
  return -1
}

function isAgentScript(script: string, command: string, packageName: string | undefined): boolean {
  const slashed = script.replaceAll('\\', '/')
  if (basename(slashed).replace(/\.[cm]?js$/i, '') === command) return true
  return packageName !== undefined && slashed.includes(`/node_modules/${packageName}/`)
}

/** Arguments of an agent without a screen: another program drives it, or it answers once and ends. */
const helperArguments = new Set([
  'exec',
  'mcp',
  'mcp-server',
  'app-server',
  'serve',
  'acp',
  '--acp',
  '--experimental-acp',
])
const singleRunOptions = new Set(['--print', '--output-format', '--version', '--help'])

function isHelper(args: readonly string[]): boolean {
  return (
    helperArguments.has(args[0] ?? '') ||
    args.some((arg) => singleRunOptions.has(arg) || arg.endsWith('-acp') || arg === '--acp')
  )
}
