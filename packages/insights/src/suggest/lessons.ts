import type { Alias } from '../alias/alias.ts'
import type { DocMapping } from '../analysis/doc-mapping.ts'
import { type FailureClass, failureClasses } from '../classify/failure-class.ts'
import { inputText } from '../analysis/input-text.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { selectInstructive } from './select-instructive.ts'

/** A sentence for an agent's memory file. */
export interface Lesson {
  readonly text: string
  /** The pattern of failures that the lesson comes from. */
  readonly pattern?: string
}

/** What `lessons` reads. */
export interface LessonSources {
  readonly aliases: readonly Alias[]
  readonly recoveries: readonly Recovery[]
  readonly mappings: readonly DocMapping[]
  /** The agent that will read the lessons: only lessons for it, with its own tool names. */
  readonly agent?: string
  /** The agent's own name for a tool. */
  readonly toolName?: (tool: string) => string
  /** How many lessons from recoveries; 10 by default. */
  readonly top?: number
}

/** Longer commands are no useful lesson. */
const longest = 160

/**
 * Lessons from aliases, from linked documentation and from recoveries.
 *
 * @example const markdown = lessonsText(lessons({ aliases, recoveries, mappings, agent: 'gemini' }))
 */
export function lessons({
  aliases,
  recoveries,
  mappings,
  agent,
  toolName = String,
  top = 10,
}: LessonSources): Lesson[] {
  return [
    ...aliases
      .filter((alias) => alias.agent === undefined || agent === undefined || alias.agent === agent)
      .flatMap((alias) => aliasLesson(alias, toolName))
      .map((text) => ({ text })),
    ...mappings.map((mapping) => ({ text: mappingLesson(mapping, toolName), pattern: mapping.pattern })),
    ...recoveryLessons(
      recoveries.filter((each) => agent === undefined || each.agent === agent),
      top,
      toolName,
    ),
  ]
}

/** One sentence, or none: a regular expression without a message does not help an agent. */
function aliasLesson(alias: Alias, toolName: (tool: string) => string): string[] {
  const { kind, from, to, command, tool, param, message } = alias
  if (kind === 'regex') return message ? [sentence(message)] : []
  const more = message ? ` ${sentence(message)}` : ''
  const where = [command && code(command), tool && `calls of ${code(toolName(tool))}`, param && code(param)]
    .filter(Boolean)
    .join(', ')
  if (kind === 'tool') return [`Call ${code(toolName(to))}, not ${code(from)}.${more}`]
  if (kind === 'flag')
    return [
      `${to === '' ? `Leave out ${code(from)}` : `Use ${code(to)}, not ${code(from)},`} with ${code(command ?? '')}.${more}`,
    ]
  if (kind === 'recipe') return [`${recipeLesson(from, to)}.${more}`]
  const instead = to === '' ? `Leave out ${code(from)}` : `Use ${code(to)}, not ${code(from)}`
  return [`${instead}${where ? ` (${where})` : ''}.${more}`]
}

/** The commands to run instead of a command, with its arguments where the recipe has them. */
function recipeLesson(from: string, to: string): string {
  const [before = '', ...after] = to.split('{args}').map((part) => part.trim())
  const rest = after.filter((part) => part !== '').map((part) => `, then ${code(part)}`)
  if (after.length === 0) return `Run ${code(before)}, not ${code(from)}`
  return `Run ${before === '' ? 'the arguments' : `${code(before)} with the same arguments`}${rest.join('')}, not ${code(from)}`
}

function mappingLesson(mapping: DocMapping, toolName: (tool: string) => string): string {
  const { doc, excerpt } = mapping
  const when = describeTrigger(mapping, code, toolName)
  return `${when}, read ${doc} before you try again.${excerpt ? ` ${sentence(excerpt)}` : ''}`
}

/** Each class as a clause of a sentence. */
const classClauses: Readonly<Record<FailureClass, string>> = {
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
 * Describes when to read a document, without our pattern names, which agents do not know.
 *
 * @example describeTrigger({ pattern: 'Bash: missing-command jq', … }, code) // 'When a command is not installed (`jq`)'
 */
function describeTrigger(
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
  return `When ${classClauses[kind]}${where}${name}`
}

/** Lessons from recoveries, the most frequent first. */
function recoveryLessons(
  recoveries: readonly Recovery[],
  top: number,
  toolName: (tool: string) => string,
): Lesson[] {
  const groups = new Map<string, { readonly recovery: Recovery; count: number }>()
  for (const recovery of selectInstructive(recoveries)) {
    const [failed, worked] = [inputText(recovery.failure.input), inputText(recovery.success.input)]
    // A retry without a change is no lesson, and neither is changed file content.
    if (failed === worked || worked.includes('\n') || Math.max(failed.length, worked.length) > longest)
      continue
    const key = JSON.stringify([recovery.pattern, failed, worked])
    const group = groups.get(key)
    if (group) group.count += recovery.attempts
    else groups.set(key, { recovery, count: recovery.attempts })
  }
  return [...groups.values()]
    .sort((one, other) => other.count - one.count || other.recovery.success.at - one.recovery.success.at)
    .slice(0, top)
    .map(({ recovery: { failure, success, pattern }, count }) => {
      const often = count === 1 ? 'failed' : `failed ${count} times`
      const why = failure.class === 'other' ? '' : `, because ${classClauses[failure.class]}`
      // A command line is clear without its tool, a path is not.
      const tool = failure.tool === 'Bash' ? '' : `${code(toolName(failure.tool))} with `
      const [tried, worked] = [failure, success].map(({ input }) => tool + code(inputText(input)))
      return { text: `${tried} ${often}${why}; ${worked} worked.`, pattern }
    })
}

/** @example lessonsText([{ text: 'Use `rg`.' }]) // '## Lessons from earlier sessions\n\n- Use `rg`.\n' */
export function lessonsText(all: readonly Lesson[]): string {
  if (all.length === 0) return ''
  return `## Lessons from earlier sessions\n\n${all.map(({ text }) => `- ${text}\n`).join('')}`
}

/** Formats a text as inline code on one line, with a fence longer than its backticks. */
function code(words: string): string {
  // The end marker of our block would end the block too early.
  const line = words.replaceAll(/\s+/g, ' ').replaceAll('-->', '-- >').trim()
  const longest = [...line.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

function sentence(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').replaceAll('-->', '-- >').trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}
