import type { ClaudeCall } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { parseChanges, parsePatchCommand, resolvePath } from './patch.ts'
import { formatCommand } from './shell-command.ts'
import { toClaude, toWebSearch } from './tools.ts'

/** A call as the model made it. */
export interface NativeCall {
  readonly name: string
  readonly namespace?: string | undefined
  readonly input: unknown
  /** The folder of its relative paths. */
  readonly cwd: string
}

/**
 * Converts a call of the model to Claude's name and input, as for the same item in the stream.
 *
 * @example toClaudeCall({ name: 'exec_command', input: { cmd: 'ls' }, cwd: '/w' }) // { name: 'Bash', input: { command: 'ls' } }
 */
export function toClaudeCall({ name, namespace, input, cwd }: NativeCall): ClaudeCall {
  const fields = asRecord(input) ?? {}
  switch (name) {
    case 'exec_command':
    case 'shell_command':
    case 'shell':
    case 'local_shell':
    case 'container.exec':
      return (
        toShellCall(fields['cmd'] ?? fields['command'], getFolder(fields, cwd)) ?? { name: 'Bash', input }
      )
    case 'apply_patch': {
      const patch = asString(input) ?? asString(fields['input']) ?? asString(fields['patch'])
      return patch === undefined ? { name: 'Edit', input } : toFileChanges(patch, cwd)
    }
    case 'update_plan':
      return { name: 'TodoWrite', input: Array.isArray(fields['plan']) ? toTodos(fields['plan']) : input }
    case 'view_image': {
      const path = asString(fields['path'])
      return { name: 'Read', input: path === undefined ? input : { file_path: resolvePath(cwd, path) } }
    }
    case 'request_user_input':
      return { name: 'AskUserQuestion', input }
    case 'web_search':
      return toWebSearch(fields, input)
    case 'spawn_agent': {
      const prompt = asString(fields['message']) ?? getItemsText(fields['items'])
      return { name: 'Task', input: prompt === undefined ? input : { prompt } }
    }
    default:
      return { name: toMcpName(name, namespace), input }
  }
}

function getFolder(fields: Readonly<Record<string, unknown>>, cwd: string): string {
  return resolvePath(cwd, asString(fields['workdir']) ?? asString(fields['working_directory']) ?? '')
}

function toShellCall(command: unknown, cwd: string): ClaudeCall | undefined {
  const args = Array.isArray(command) ? command.map(String) : undefined
  if (args && /^apply_?patch$/.test(args[0] ?? '') && args.length === 2) return toFileChanges(args[1]!, cwd)
  const line = args ? formatCommand(args) : asString(command)
  if (line === undefined) return undefined
  const applied = parsePatchCommand(line)
  if (applied) return toFileChanges(applied.patch, resolvePath(cwd, applied.folder ?? ''))
  return { name: 'Bash', input: { command: line } }
}

function toFileChanges(patch: string, cwd: string): ClaudeCall {
  const changes = parseChanges(patch, cwd)
  return changes.length === 0
    ? { name: 'Edit', input: { patch } }
    : toClaude('file_change', { changes: changes.map((change) => ({ ...change })) })
}

function toTodos(steps: readonly unknown[]): object {
  return {
    todos: steps.map((step) => {
      const fields = asRecord(step)
      return fields ? { content: fields['step'], status: fields['status'] } : step
    }),
  }
}

function getItemsText(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined
  const texts = items.flatMap((item) => asString(asRecord(item)?.['text']) ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** The name of an MCP tool includes its server, which is before the name or in a field of its own by version. */
function toMcpName(name: string, namespace: string | undefined): string {
  if (namespace?.startsWith('mcp__')) return `${namespace.replace(/__$/, '')}__${name}`
  const old = /^(?!mcp__)([a-z][\w-]*?)__(.+)$/i.exec(name)
  return old ? `mcp__${old[1]}__${old[2]}` : name
}
