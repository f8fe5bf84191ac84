import type { DocMapping } from '../doc-mapping.ts'
import { type FailureClass, failureClasses } from '../failure-class.ts'

/** What happened, as a part of a sentence. */
export const happened: Readonly<Record<FailureClass, string>> = {
  'unknown-tool': 'a tool is not there',
  'wrong-argument': 'an argument is not taken',
  'wrong-path': 'a path is not there',
  'missing-command': 'a command is not installed',
  'missing-env': 'a variable is not set',
  'permission-denied': 'something is refused',
  timeout: 'something takes too long',
  network: 'there is no connection',
  'test-failure': 'tests fail',
  'edit-mismatch': 'an edit does not fit the file',
  other: 'something fails',
}

/** Classes whose patterns end with a name. */
const naming: ReadonlySet<string> = new Set(['missing-command', 'missing-env', 'wrong-argument'])

/**
 * When a document is meant to be read, in words for agents: they know nothing of our patterns.
 *
 * @example mappingWords({ pattern: 'Bash: missing-command jq', … }, code) // 'When a command is not installed (`jq`)'
 */
export function mappingWords(
  { pattern, tool: only }: Pick<DocMapping, 'pattern' | 'tool'>,
  code: (words: string) => string,
  toolName: (tool: string) => string = String,
): string {
  const words = pattern.replaceAll(/[%…\s]+/g, ' ').trim()
  const kind = failureClasses.find((each) => each !== 'other' && words.includes(each))
  const ofTool = only ?? /^([\w-]+): /.exec(words)?.[1]
  const where = ofTool === undefined ? '' : ` with ${code(toolName(ofTool))}`
  if (kind === undefined) {
    const rest = words
      .replace(/^[\w-]+: /, '')
      .replace(/^other\b/, '')
      .trim()
    return `When ${rest === '' || rest === ofTool ? 'a call' : `something about ${code(rest)}`} fails${where}`
  }
  const rest = words.slice(words.indexOf(kind) + kind.length).trim()
  const name = naming.has(kind) && /^\S+$/.test(rest) ? ` (${code(rest)})` : ''
  return `When ${happened[kind]}${where}${name}`
}
