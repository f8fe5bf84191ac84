import type { ClaudeCall } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { changesIn, patchIn, pathIn } from './patch.ts'
import { typed } from './shell-words.ts'
import { toClaude, webSearch } from './tools.ts'

/** A call as the model made it. */
export interface NativeCall {
  readonly name: string
  readonly namespace?: string | undefined
  readonly input: unknown
  /** Where paths of it begin. */
  readonly cwd: string
}

/**
 * Tells a call of the model's in Claude's words, in the same way as the stream's item of it is told.
 *
 * @example nativeToClaude({ name: 'exec_command', input: { cmd: 'ls' }, cwd: '/w' }) // { name: 'Bash', input: { command: 'ls' } }
 */
export function nativeToClaude({ name, namespace, input, cwd }: NativeCall): ClaudeCall {
  const fields = asRecord(input) ?? {}
  switch (name) {
    case 'exec_command':
    case 'shell_command':
    case 'shell':
    case 'local_shell':
    case 'container.exec':
      return shellCall(fields['cmd'] ?? fields['command'], folderOf(fields, cwd)) ?? { name: 'Bash', input }
    case 'apply_patch': {
      const patch = asString(input) ?? asString(fields['input']) ?? asString(fields['patch'])
      return patch === undefined ? { name: 'Edit', input } : fileChanges(patch, cwd)
    }
    case 'update_plan':
      return { name: 'TodoWrite', input: Array.isArray(fields['plan']) ? plan(fields['plan']) : input }
    case 'view_image': {
      const path = asString(fields['path'])
      return { name: 'Read', input: path === undefined ? input : { file_path: pathIn(cwd, path) } }
    }
    case 'request_user_input':
      return { name: 'AskUserQuestion', input }
    case 'web_search':
      return webSearch(fields, input)
    case 'spawn_agent': {
      const prompt = asString(fields['message']) ?? itemsText(fields['items'])
      return { name: 'Task', input: prompt === undefined ? input : { prompt } }
    }
    default:
      return { name: mcpName(name, namespace), input }
  }
}

function folderOf(fields: Readonly<Record<string, unknown>>, cwd: string): string {
  return pathIn(cwd, asString(fields['workdir']) ?? asString(fields['working_directory']) ?? '')
}

function shellCall(command: unknown, cwd: string): ClaudeCall | undefined {
  const words = Array.isArray(command) ? command.map(String) : undefined
  if (words && /^apply_?patch$/.test(words[0] ?? '') && words.length === 2) return fileChanges(words[1]!, cwd)
  const line = words ? typed(words) : asString(command)
  if (line === undefined) return undefined
  const applied = patchIn(line)
  if (applied) return fileChanges(applied.patch, pathIn(cwd, applied.folder ?? ''))
  return { name: 'Bash', input: { command: line } }
}

function fileChanges(patch: string, cwd: string): ClaudeCall {
  const changes = changesIn(patch, cwd)
  return changes.length === 0
    ? { name: 'Edit', input: { patch } }
    : toClaude('file_change', { changes: changes.map((change) => ({ ...change })) })
}

function plan(steps: readonly unknown[]): object {
  return {
    todos: steps.map((step) => {
      const fields = asRecord(step)
      return fields ? { content: fields['step'], status: fields['status'] } : step
    }),
  }
}

function itemsText(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined
  const texts = items.flatMap((item) => asString(asRecord(item)?.['text']) ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** Tools of MCP servers are named with the server; versions write it before the name, or apart from it. */
function mcpName(name: string, namespace: string | undefined): string {
  if (namespace?.startsWith('mcp__')) return `${namespace.replace(/__$/, '')}__${name}`
  const old = /^(?!mcp__)([a-z][\w-]*?)__(.+)$/i.exec(name)
  return old ? `mcp__${old[1]}__${old[2]}` : name
}
