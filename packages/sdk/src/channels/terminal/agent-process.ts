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
 * Finds the agent that runs in a pane: the pane's own process, or one below it, with shells and version managers in
 * between. Below an agent nobody looks for another: what it starts is a helper of its own.
 *
 * @example agentBelow(panePid, processes, agents())?.args
 */
export function agentBelow(
  root: number,
  processes: ReadonlyMap<number, ListedProcess>,
  agents: readonly Agent[],
): AgentProcess | undefined {
  const found: AgentProcess[] = []
  const queue = [root]
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    const process = processes.get(pid)
    const known = process && recognise(process.words, agents)
    if (process && known) {
      if (!isServant(known.args)) found.push({ ...known, process })
      continue
    }
    for (const child of processes.values()) if (child.parent === pid) queue.push(child.pid)
  }
  return found.find(({ process }) => process.foreground) ?? found[0]
}

/** All processes below one, with itself. */
export function treeOf(root: number, processes: ReadonlyMap<number, ListedProcess>): number[] {
  const tree = [root]
  for (let index = 0; index < tree.length; index++) {
    for (const child of processes.values()) if (child.parent === tree[index]) tree.push(child.pid)
  }
  return tree
}

/** Which agent a command line is, if it is one: the program itself, or a script of it that an interpreter runs. */
export function recognise(
  words: readonly string[],
  agents: readonly Agent[],
): { agent: Agent; args: readonly string[] } | undefined {
  const [first = '', ...rest] = ownTitle(words)
  const direct = agents.find(({ detection }) => programName(first) === detection.command)
  if (direct) return { agent: direct, args: rest }
  if (!/^(?:node|nodejs|bun|deno|tsx)(?:-?\d+)?$/.test(programName(first))) return undefined
  const at = scriptIndex(rest)
  const script = rest[at]
  if (script === undefined) return undefined
  const agent = agents.find(({ detection }) => isScriptOf(script, detection.command, detection.package))
  return agent && { agent, args: rest.slice(at + 1) }
}

/** A program may have written its own title over its command line, which is then one word. */
function ownTitle(words: readonly string[]): readonly string[] {
  const [only] = words
  return words.length === 1 && only !== undefined && !only.startsWith('/') ? only.trim().split(/\s+/) : words
}

function programName(path: string): string {
  return basename(path)
    .replace(/^-/, '')
    .replace(/\.exe$/i, '')
}

/** Options of the interpreter whose value is a word of its own. */
const withValue = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
])
/** Those after which there is no script. */
const withCode = new Set(['-e', '--eval', '-p', '--print', '-c', '--check'])

function scriptIndex(words: readonly string[]): number {
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (withCode.has(word)) return -1
    if (withValue.has(word)) index++
    else if (!word.startsWith('-') && word !== 'run') return index
  }
  return -1
}

function isScriptOf(script: string, command: string, packageName: string | undefined): boolean {
  const slashed = script.replaceAll('\\', '/')
  if (basename(slashed).replace(/\.[cm]?js$/i, '') === command) return true
  return packageName !== undefined && slashed.includes(`/node_modules/${packageName}/`)
}

/** Ways to start an agent that leave no screen to read: others call it, or it answers once and ends. */
const servants = new Set([
  'exec',
  'mcp',
  'mcp-server',
  'app-server',
  'serve',
  'acp',
  '--acp',
  '--experimental-acp',
])
const onceOnly = new Set(['--print', '--output-format', '--version', '--help'])

function isServant(args: readonly string[]): boolean {
  return (
    servants.has(args[0] ?? '') ||
    args.some((arg) => onceOnly.has(arg) || arg.endsWith('-acp') || arg === '--acp')
  )
}
