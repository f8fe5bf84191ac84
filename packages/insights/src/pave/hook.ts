import type { AgentRules, PaveAnswer, PaveEdit, PaveRules } from './rules.ts'

// Compiled, this is one file without imports: it is copied to the state folder, and the CLIs run it before every tool call.

/** The limit in CPU time, since the CLI waits for the hook. Wall time would be unfair on a busy machine. */
const limitMs = 200
/** Longer values are not edited: aliases are for short commands. */
const longest = 16_384
const program = 'remora-pave.mjs'
/** The beginning of every refusal by this hook. It distinguishes corrected calls from failed ones. */
export const paveMark = 'Corrected by an alias in Remora:'

/**
 * The answer for a call that is about to run: empty, a corrected input, or a refusal with a reason.
 *
 * @example decide(rules, { hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input: { command: 'pip -V' } })
 */
export function decide(rules: AgentRules, payload: unknown): PaveAnswer {
  const { tool_name: tool, tool_input, hook_event_name: event } = toFields(payload)
  if (typeof tool !== 'string') return {}
  const refusal = rules.refusals.find((each) => each.tool === tool)
  if (refusal) return createRefusal(rules, event, refusal.reason)
  const input = toFields(tool_input)
  const { corrected, changed, why } = applyEdits(rules, tool, input)
  if (changed.length === 0) return {}
  if (rules.dialect === 'refusal') {
    // If the corrected call would be refused too, refusals could repeat without end: then the call runs unchanged.
    if (applyEdits(rules, tool, corrected).changed.length > 0) return {}
    const right = changed.map((param) => `${param}: ${String(corrected[param])}`).join('\n')
    return createRefusal(rules, event, `Not run (${why}). Call it again with ${right}`)
  }
  if (rules.dialect === 'tool-input')
    return { hookSpecificOutput: { hookEventName: event, tool_input: corrected } }
  // Without a permissionDecision, the CLI asks for approval of the corrected call as usual.
  const additionalContext = `Remora corrected this call before it ran: ${why}`
  return { hookSpecificOutput: { hookEventName: event, updatedInput: corrected, additionalContext } }
}

/** Applies every edit to an input. Edits that undo each other change nothing. */
function applyEdits({ edits }: AgentRules, tool: string, input: Fields) {
  const corrected: Record<string, unknown> = { ...input }
  const notes = new Set<string>()
  for (const edit of edits) {
    if (edit.tools && !edit.tools.includes(tool)) continue
    for (const [param, value] of Object.entries(corrected)) {
      if (typeof value !== 'string' || value.length > longest) continue
      if (edit.params && !edit.params.includes(param)) continue
      corrected[param] = applyEdit(value, edit)
      if (corrected[param] !== value) notes.add(describeEdit(edit))
    }
  }
  const changed = Object.keys(corrected).filter((param) => corrected[param] !== input[param])
  return { corrected, changed, why: [...notes].join('; ') }
}

function createRefusal({ dialect }: AgentRules, event: unknown, why: string): PaveAnswer {
  const reason = `${paveMark} ${why}`
  if (dialect === 'tool-input') return { decision: 'deny', reason }
  const no = { permissionDecision: 'deny', permissionDecisionReason: reason }
  return { hookSpecificOutput: { hookEventName: event, ...no } }
}

function describeEdit({ kind, from, to, command, message }: PaveEdit): string {
  if (message !== undefined) return message
  const where = command === undefined ? '' : ` of ${command}`
  return to === '' ? `without ${from}${where}` : `${to} instead of ${from}${kind === 'recipe' ? '' : where}`
}

type Fields = Readonly<Record<string, unknown>>

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/**
 * Applies one edit to a value; returns the same value if nothing matches.
 *
 * @example applyEdit('cd a && pip list', { kind: 'command', from: 'pip', to: 'pip3' }) // 'cd a && pip3 list'
 */
export function applyEdit(value: string, edit: PaveEdit): string {
  const better = replaceMatches(value, edit)
  // An edit that matches its own result would lengthen the value with every call, so it is applied only once.
  if (better === value || replaceMatches(better, edit).length <= better.length) return better
  return edit.kind === 'regex' || containsParts(value, edit.to) ? value : better
}

/** Whether a value contains the parts of a result, in order. */
function containsParts(value: string, to: string): boolean {
  const [text, ...parts] = [value, ...to.split('{args}')].map((part) => part.replaceAll(/\s+/g, ' ').trim())
  let at = 0
  return parts.every((part) => (at = text!.indexOf(part, at)) >= 0)
}

/** Applies one edit, even if the value already contains the result. */
export function replaceMatches(value: string, { kind, from, to, command }: PaveEdit): string {
  if (kind === 'literal' || kind === 'regex') {
    const replaced = (text: string): string =>
      kind === 'literal' ? text.replaceAll(from, () => to) : text.replace(new RegExp(from, 'g'), to)
    const places = command === undefined ? [{ start: 0, end: value.length }] : findCommands(value, command)
    const splices = places.map(({ start, end }) => ({ start, end, text: replaced(value.slice(start, end)) }))
    return applySplices(value, splices)
  }
  if (kind === 'flag') {
    const flags = findCommands(value, command ?? '').flatMap(({ rest }) => findFlags(rest, from))
    const splices = flags.map(({ start, end, text }) => {
      // A removed flag is removed with the space before it.
      if (to === '') return { start: value[start - 1] === ' ' ? start - 1 : start, end, text: '' }
      return { start, end, text: to + text.slice(from.length) }
    })
    return applySplices(value, splices)
  }
  const several = hasOperators(to)
  const splices = findCommands(value, from).flatMap(({ start, nameEnd, end, plain }): Splice[] => {
    if (kind === 'command' && !several) return [{ start, end: nameEnd, text: to }]
    const args = value.slice(nameEnd, end)
    const text = kind === 'command' ? to + args : to.replaceAll('{args}', () => args.trim()).trimEnd()
    if (!several || (plain && value.trim() === value.slice(start, end))) return [{ start, end, text }]
    const group = `{ ${text}${/[;&]\s*$|#|<</.test(text) ? '\n' : '; '}}`
    // A group is valid only at the start of a command, and must add no line before a here-document.
    return plain && !(group.includes('\n') && value.includes('<<')) ? [{ start, end, text: group }] : []
  })
  return applySplices(value, splices)
}

/** Whether a replacement has operators, redirections or a comment, so that the text around it could apply to a part only. */
function hasOperators(to: string): boolean {
  const bare = to.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)/gs, 'x')
  return /[;&|<>()\n]|(?:^|\s)#|^\s*!\s/.test(bare)
}

function findFlags(words: readonly Word[], flag: string): Word[] {
  const end = words.findIndex(({ text }) => text === '--')
  return words
    .slice(0, end < 0 ? words.length : end)
    .filter(({ text }) => text === flag || (flag.startsWith('--') && text.startsWith(`${flag}=`)))
}

/** Replaces ranges of a text, the last first. Of two overlapping ranges, only the later one is replaced. */
function applySplices(value: string, splices: readonly Splice[]): string {
  let [result, free] = [value, value.length]
  for (const { start, end, text } of splices.toSorted((one, other) => other.start - one.start)) {
    if (end > free) continue
    result = result.slice(0, start) + text + result.slice(end)
    free = start
  }
  return result
}

/** A word of a shell line, quotes included, and the number of its command. */
interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly command: number
}

/** A command in a shell line: its range, the end of its name, and the words after that. */
interface ShellCommand {
  readonly start: number
  readonly nameEnd: number
  readonly end: number
  readonly rest: readonly Word[]
}

/** A replacement for a range of a text. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A word, and whether it starts a command without `sudo`, assignment or redirection before it. */
type FirstWord = Word & { readonly first: boolean }

/** The commands of a shell line that begin with these words. */
function findCommands(line: string, name: string): (ShellCommand & { readonly plain: boolean })[] {
  const names = name.split(/\s+/).filter(Boolean)
  if (names.length === 0 || !line.includes(names[0]!)) return []
  const commands: FirstWord[][] = []
  for (const word of shellWords(line)) (commands[word.command] ??= []).push(word)
  return commands.flatMap((words) => {
    if (!names.every((each, index) => words[index]?.text === each)) return []
    const [start, end] = [words[0]!.start, words.at(-1)!.end]
    // Plain: nothing of the same command before it, and no redirection within it. After an operator, $? would change.
    const gaps = words.slice(1).map((word, index) => line.slice(words[index]!.end, word.start))
    const odd = /[^\s\\]/.test(gaps.join('')) || /\$[?!_]/.test(line.slice(start, end))
    const plain = words[0]!.first && !odd && !wrappers.has(words[0]!.text)
    return [{ start, nameEnd: words[names.length - 1]!.end, end, rest: words.slice(names.length), plain }]
  })
}

const continuing = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{'])
const closing = new Set(['fi', 'done', 'esac', '}'])
// The words inside these constructs look like commands but are none.
const unsupported = new Set(['case', 'select', 'function', '[[', 'coproc'])
const wrappers = new Set(['sudo', 'env', 'time', 'nohup', 'exec', 'command', 'xargs'])

/**
 * The words of the commands in a shell line, without assignments, redirections, keywords, comments, here-documents and
 * commands in double quotes. Empty for a line that cannot be parsed, which then stays unchanged.
 *
 * @example shellWords('A=1 ls -l | wc') // 'ls' and '-l' of command 1, 'wc' of command 2
 */
export function shellWords(line: string): FirstWord[] {
  const words: FirstWord[] = []
  const documents: { readonly end: string; readonly tabs: boolean }[] = []
  let [at, count, muted] = [0, 0, 0]
  try {
    list('')
    return words
  } catch {
    return []
  }

  /** Reads commands up to a closing character. */
  function list(closer: string): void {
    let [expected, redirected, wrapped, command, begin] = [true, false, false, 0, at]
    for (;;) {
      const character = line[at]
      if (character === closer || character === undefined) {
        if (character !== closer && closer !== '') fail()
        at++
        return
      }
      if (line.startsWith('&>', at)) redirected = redirection()
      else if ('\n;&|'.includes(character)) {
        if (line.startsWith(';;', at)) fail()
        at++
        if (character === '\n') skipDocuments()
        begin = at
        ;[expected, wrapped, redirected] = [true, false, false]
      } else if (/\s/.test(character)) at++
      else if (line.startsWith('\\\n', at)) at += 2
      else if (character === '#') skipOver(/^[^\n]*/)
      else if (character === '(') {
        if (!expected || line[at + 1] === '(') fail()
        at++
        list(')')
        expected = false
      } else if (character === ')') fail()
      else if (character === '<' || character === '>') redirected = redirection()
      else {
        const start = at
        word()
        const text = line.slice(start, at)
        if (/^\d+$/.test(text) && '<>'.includes(line[at] ?? ' ')) continue
        if (line[at] === '(') fail()
        const named = expected && !(wrapped && text.startsWith('-'))
        const first = named && line.slice(begin, start).trim() === ''
        if (redirected) redirected = false
        else if (named && /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(text)) continue
        else if (named && unsupported.has(text)) fail()
        else if (named && closing.has(text)) expected = false
        else if (named && continuing.has(text)) begin = first ? at : begin
        else {
          if (named) command = ++count
          if (muted === 0) words.push({ text, start, end: at, command, first })
          expected = wrapped = named && wrappers.has(text)
        }
      }
    }
  }

  /** Reads one word, with its quotes and expansions. */
  function word(): void {
    for (
      let character = line[at];
      character !== undefined && !/[\s;&|()<>]/.test(character);
      character = line[at]
    ) {
      if (character === '\\') at += 2
      else if (character === "'") skipOver(/^'[^']*'/)
      else if (character === '`') skipOver(/^`[^`]*`/)
      else if (line.startsWith("$'", at)) escapedTo("'", 2)
      else if (character === '"') escapedTo('"', 1)
      else if (character === '$') expansion()
      else at++
      if (at > line.length) fail()
    }
  }

  function expansion(): void {
    if (line.startsWith('$((', at)) skipOver(/^\$\(\([^()'"`]*\)\)/)
    else if (line.startsWith('${', at)) skipOver(/^\$\{[^{}'"`]*\}/)
    else if (line.startsWith('$(', at)) {
      at += 2
      list(')')
    } else at++
  }

  /** Reads quotes with backslash escapes. Commands inside are parsed to find the end, and not reported. */
  function escapedTo(end: string, from: number): void {
    at += from
    muted++
    for (let character = line[at]; character !== end; character = line[at]) {
      if (character === undefined) fail()
      if (character === '\\') at += 2
      else if (end === '"' && character === '$') expansion()
      else if (end === '"' && character === '`') skipOver(/^`[^`]*`/)
      else at++
    }
    muted--
    at++
  }

  /** Reads a redirection; true if the next word is a file. */
  function redirection(): boolean {
    const document = /^<<(-?)(?!<)[ \t]*/.exec(line.slice(at, at + 99))
    if (document) {
      at += document[0].length
      const start = at
      word()
      documents.push({ end: line.slice(start, at).replaceAll(/['"\\]/g, ''), tabs: document[1] === '-' })
      return false
    }
    if (line[at + 1] === '(') {
      at += 2
      list(')')
      return false
    }
    skipOver(/^(<<<|&>>?|[<>][>&|]?)/)
    return true
  }

  function skipDocuments(): void {
    for (const { end, tabs } of documents.splice(0))
      for (let text: string | undefined; text !== end && at < line.length;)
        text = skipOver(/^[^\n]*\n?/).replace(tabs ? /^\t+|\n$/g : /\n$/, '')
  }

  function skipOver(pattern: RegExp): string {
    const [found] = pattern.exec(line.slice(at)) ?? fail()
    at += found.length
    return found
  }
}

function fail(): never {
  throw new Error('not understood')
}

// The CLIs start this file as a program; this package also imports its functions.
if (process.argv[1]?.endsWith(program)) run(process.argv[1], process.argv[2] ?? '')

/** Reads the payload and answers. On any error, the call runs as if there were no hook. */
function run(file: string, agent: string): void {
  const rules = `${file.slice(0, -program.length)}pave-rules.json`
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  const answer = (text: string): never => {
    writeSync(1, text)
    process.exit(0)
  }
  process.on('uncaughtException', () => process.exit(0))
  // On a busy machine, the payload and its end may already be pending: both are handled before the timeout answers.
  setTimeout(() => setImmediate(setImmediate, () => answer('{}')), 5 * limitMs)
  const chunks: Buffer[] = []
  process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
  process.stdin.on('end', () => {
    // A regular expression with endless backtracking blocks every timer; only the engine can stop it.
    const scope = globalThis as { answer?: () => string }
    scope.answer = () => {
      const { agents } = JSON.parse(readFileSync(rules, 'utf8')) as PaveRules
      const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined
      return JSON.stringify(own ? decide(own, JSON.parse(Buffer.concat(chunks).toString())) : {})
    }
    let text: string | undefined
    for (let attempt = 0; text === undefined; attempt++)
      try {
        text = String(process.getBuiltinModule('node:vm').runInThisContext('answer()', { timeout: limitMs }))
      } catch (error) {
        const isLate = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
        if (!isLate || attempt > 10 || process.cpuUsage().user > 1000 * limitMs) text = '{}'
      }
    answer(text)
  })
}
