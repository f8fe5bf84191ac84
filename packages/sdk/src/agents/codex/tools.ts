import type { ClaudeCall } from '../../claude-call.ts'
import { stringOf } from '../../fields.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * Tells an item of `exec --json` in Claude's words, as far as Claude has a tool for it; fields it does not know are kept.
 *
 * @example toClaude('command_execution', { command: "/bin/bash -lc 'ls -l'" }) // { name: 'Bash', input: { command: 'ls -l' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const fits = typeof input === 'object' && input !== null && !Array.isArray(input)
  const fields: Input = fits ? (input as Input) : {}
  switch (name) {
    case 'command_execution': {
      const command = fields['command']
      return {
        name: 'Bash',
        input: typeof command === 'string' ? { ...fields, command: unwrap(command) } : input,
      }
    }
    case 'file_change':
      return fileChange(fields, input)
    case 'mcp_tool_call': {
      const { server, tool } = fields
      return { name: `mcp__${String(server)}__${String(tool)}`, input: fields['arguments'] ?? {} }
    }
    case 'web_search':
      return { name: 'WebSearch', input }
    case 'todo_list':
      return { name: 'TodoWrite', input: Array.isArray(fields['items']) ? todos(fields) : input }
    case 'collab_tool_call':
      return { name: fields['tool'] === 'spawn_agent' ? 'Task' : (stringOf(fields['tool']) ?? name), input }
    default:
      return { name, input }
  }
}

/** One patch may change several files: the first is the one that Claude would have been told to change. */
function fileChange(fields: Input, input: unknown): ClaudeCall {
  const changes = Array.isArray(fields['changes']) ? (fields['changes'] as unknown[]) : []
  const known = changes.map((change) =>
    typeof change === 'object' && change !== null ? (change as Input) : {},
  )
  const name = known.length > 0 && known.every(({ kind }) => kind === 'add') ? 'Write' : 'Edit'
  const path = known[0]?.['path']
  return { name, input: typeof path === 'string' ? { file_path: path, ...fields } : input }
}

function todos(fields: Input): Record<string, unknown> {
  const { items, ...rest } = fields
  const entries = (items as unknown[]).map((item) => {
    if (typeof item !== 'object' || item === null) return item
    const { text, completed, ...more } = item as Input
    return { content: text, status: completed === true ? 'completed' : 'pending', ...more }
  })
  return { ...rest, todos: entries }
}

/** What the model asked for, without the shell that Codex puts around it. */
function unwrap(command: string): string {
  const words = shellWords(command)
  const [shell = '', flag = '', script, ...more] = words ?? []
  const wrapped = /(^|[/\\])(ba|z|da|k)?sh(\.exe)?$/.test(shell) && /^-l?c$/.test(flag)
  return wrapped && script !== undefined && more.length === 0 ? script : command
}

/** The words of a POSIX command line; undefined where a quotation has no end. */
function shellWords(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (character === "'") {
      const end = line.indexOf("'", at + 1)
      if (end === -1) return undefined
      word += line.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      for (at++; line[at] !== '"'; at++) {
        if (at >= line.length) return undefined
        if (line[at] === '\\' && '$`"\\\n'.includes(line[at + 1] ?? ' ')) at++
        word += line[at] ?? ''
      }
    } else if (character === '\\') word += line[++at] ?? ''
    else word += character
  }
  return word === undefined ? words : [...words, word]
}
