import { asRecord } from '../../../events/fields.ts'
import { isPlain } from './commands.ts'

/** Finds the command of a call: in the agent's inputs, in our mapped input, or in its title. */
export function findCommand(
  rawInputs: readonly unknown[],
  made: unknown,
  title: string | undefined,
  runs: boolean,
): string | undefined {
  const command = rawInputs.map(fromInput).find((one) => one !== undefined)
  if (command !== undefined) return command
  // If the agent sends no input, ours is made from the title.
  const ours = fromInput(made)
  return ours !== undefined && ours !== title ? ours : runs ? fromTitle(title) : undefined
}

function fromInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  const command = fields?.['command'] ?? fields?.['cmd']
  if (typeof command === 'string') return command.trim() === '' ? undefined : command
  if (!Array.isArray(command) || command.length === 0) return undefined
  const words = command.map(String)
  // Codex includes its shell wrapper: ["/bin/bash", "-lc", "npm test"].
  const [shell = '', flag = '', line] = words
  const wrapped = words.length === 3 && /(^|[\\/])(ba|z|da|k)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag)
  return wrapped && line !== undefined ? line : words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Gemini sends the command only as the title, before 0.61 followed by the folder and the model's description. */
function fromTitle(title: string | undefined): string | undefined {
  if (title === undefined || title.trim() === '') return undefined
  const marked = /^`([^`]*)`$/.exec(title)?.[1]
  return marked ?? withoutRemark(title)
}

/**
 * The model writes both the command and the description, so it could disguise part of the command as a description. The
 * removed part must therefore be harmless as a command, and the rest must be complete; otherwise the title is kept.
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
