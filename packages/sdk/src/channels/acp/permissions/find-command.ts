import { asRecord } from '../../../events/fields.ts'
import { isPlain } from './commands.ts'

/** The command of a call: from the agent's inputs, from ours in Claude's words, or the title that it is shown by. */
export function findCommand(
  told: readonly unknown[],
  made: unknown,
  title: string | undefined,
  runs: boolean,
): string | undefined {
  const command = told.map(fromInput).find((one) => one !== undefined)
  if (command !== undefined) return command
  // Where the agent tells no input, ours is made from the title.
  const ours = fromInput(made)
  return ours !== undefined && ours !== title ? ours : runs ? fromTitle(title) : undefined
}

function fromInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  const command = fields?.['command'] ?? fields?.['cmd']
  if (typeof command === 'string') return command.trim() === '' ? undefined : command
  if (!Array.isArray(command) || command.length === 0) return undefined
  const words = command.map(String)
  // Codex tells the shell that it puts around it as well: ["/bin/bash", "-lc", "npm test"].
  const [shell = '', flag = '', line] = words
  const wrapped = words.length === 3 && /(^|[\\/])(ba|z|da|k)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag)
  return wrapped && line !== undefined ? line : words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Gemini tells the command by its title only, and before 0.61 with the folder and the model's remark behind it. */
function fromTitle(title: string | undefined): string | undefined {
  if (title === undefined || title.trim() === '') return undefined
  const marked = /^`([^`]*)`$/.exec(title)?.[1]
  return marked ?? withoutRemark(title)
}

/**
 * The model writes both the command and the remark, so it could make a part of the command look like a remark. What is
 * taken away must therefore be harmless as a command too, and what stays must be whole; else the title stays as it is.
 */
function withoutRemark(title: string): string {
  const start = Math.max(title.lastIndexOf(' [current working directory '), title.lastIndexOf(' [in '))
  if (start === -1) return title
  const command = title.slice(0, start)
  const remark = /^ \[(?:current working directory|in) ([^[\]]*)\](?: \((.*)\))?(?: \[background\])?$/s.exec(
    title.slice(start),
  )
  if (!remark || !isPlain(remark[1] ?? '') || !isPlain(remark[2] ?? '')) return title
  const isWhole =
    ["'", '"'].every((quote) => command.split(quote).length % 2 === 1) && !/\\['"]/.test(command)
  return isWhole ? command : title
}
