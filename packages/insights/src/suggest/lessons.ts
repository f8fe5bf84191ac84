import type { Alias } from '../alias/alias.ts'
import type { DocMapping } from '../analysis/doc-mapping.ts'
import { type FailureClass, failureClasses } from '../classify/failure-class.ts'
import { inputText } from '../analysis/input-text.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { teaching } from './teaching.ts'

/** What agents shall know before they begin. */
export interface Lesson {
  readonly text: string
  /** The pattern of failure that it is about, where it comes from one. */
  readonly pattern?: string
}

export interface LessonSources {
  readonly aliases: readonly Alias[]
  readonly recoveries: readonly Recovery[]
  readonly mappings: readonly DocMapping[]
  /** The agent that will read them: only what is for it, and in its own words. */
  readonly agent?: string
  /** The agent's own name for a tool. */
  readonly toolName?: (tool: string) => string
  /** How many lessons from recoveries; 10 by default. */
  readonly top?: number
}

/** So long a command still is a lesson; a longer one is a story. */
const longest = 160

/**
 * What was learnt: from aliases, from documents that somebody named, and from what worked after something had failed.
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

/** One sentence, or none: an expression says nothing to an agent unless a person says what it is for. */
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

/** What to run in the place of a command, with its arguments where the recipe has them. */
function recipeLesson(from: string, to: string): string {
  const [before = '', ...after] = to.split('{args}').map((part) => part.trim())
  const rest = after.filter((part) => part !== '').map((part) => `, then ${code(part)}`)
  if (after.length === 0) return `Run ${code(before)}, not ${code(from)}`
  return `Run ${before === '' ? 'the arguments' : `${code(before)} with the same arguments`}${rest.join('')}, not ${code(from)}`
}

function mappingLesson(mapping: DocMapping, toolName: (tool: string) => string): string {
  const { doc, excerpt } = mapping
  const when = mappingWords(mapping, code, toolName)
  return `${when}, read ${doc} before you try again.${excerpt ? ` ${sentence(excerpt)}` : ''}`
}

/** What happened, as a part of a sentence. */
const happened: Readonly<Record<FailureClass, string>> = {
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
function mappingWords(
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

/** The ways that worked, the most often needed first. */
function recoveryLessons(
  recoveries: readonly Recovery[],
  top: number,
  toolName: (tool: string) => string,
): Lesson[] {
  const groups = new Map<string, { readonly recovery: Recovery; count: number }>()
  for (const recovery of teaching(recoveries)) {
    const [failed, worked] = [inputText(recovery.failure.input), inputText(recovery.success.input)]
    // What worked the second time without a change teaches nothing, and neither do changed contents.
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
      const why = failure.class === 'other' ? '' : `, because ${happened[failure.class]}`
      // A command line speaks for itself; a file does not say what was done with it.
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

/** Words in the type of code, however many backticks they hold, on one line. */
function code(words: string): string {
  // A mark of ours inside would end the block too early.
  const line = words.replaceAll(/\s+/g, ' ').replaceAll('-->', '-- >').trim()
  const longest = [...line.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}

function sentence(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').replaceAll('-->', '-- >').trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}
