import type { AgentRules, PaveAnswer, PaveEdit, PaveRules } from './rules.ts'

// One file and no imports when it is compiled: it is copied to where the CLIs start it, before every call of a tool.

/** All that the hook may take, of the processor and not of the clock, since the machine may be busy: a CLI waits for it. */
const limitMs = 200
/** Longer values are left alone: what a person mends by an alias is short. */
const longest = 16_384
const program = 'remora-pave.mjs'
/** How every refusal of ours begins: by it a call is known that was corrected, and did not fail. */
export const paveMark = 'Corrected by an alias in Remora:'

/**
 * What to tell the CLI of a call that is about to run: nothing, a corrected input, or no and why.
 *
 * @example decide(rules, { hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input: { command: 'pip -V' } })
 */
export function decide(rules: AgentRules, payload: unknown): PaveAnswer {
  const { tool_name: tool, tool_input, hook_event_name: event } = fields(payload)
  if (typeof tool !== 'string') return {}
  const refusal = rules.refusals.find((each) => each.tool === tool)
  if (refusal) return refused(rules, event, refusal.reason)
  const input = fields(tool_input)
  const { corrected, changed, why } = mended(rules, tool, input)
  if (changed.length === 0) return {}
  if (rules.dialect === 'codex') {
    // What would be refused again could go on without end: then the call runs as it is.
    if (mended(rules, tool, corrected).changed.length > 0) return {}
    const right = changed.map((param) => `${param}: ${String(corrected[param])}`).join('\n')
    return refused(rules, event, `Not run (${why}). Call it again with ${right}`)
  }
  if (rules.dialect === 'gemini')
    return { hookSpecificOutput: { hookEventName: event, tool_input: corrected } }
  // Without a permissionDecision: whoever would have been asked about the call is asked about the corrected one.
  const additionalContext = `Remora corrected this call before it ran: ${why}`
  return { hookSpecificOutput: { hookEventName: event, updatedInput: corrected, additionalContext } }
}

/** An input with every edit made in it. Edits that undo each other change nothing. */
function mended({ edits }: AgentRules, tool: string, input: Fields) {
  const corrected: Record<string, unknown> = { ...input }
  const notes = new Set<string>()
  for (const edit of edits) {
    if (edit.tools && !edit.tools.includes(tool)) continue
    for (const [param, value] of Object.entries(corrected)) {
      if (typeof value !== 'string' || value.length > longest) continue
      if (edit.params && !edit.params.includes(param)) continue
      corrected[param] = edited(value, edit)
      if (corrected[param] !== value) notes.add(note(edit))
    }
  }
  const changed = Object.keys(corrected).filter((param) => corrected[param] !== input[param])
  return { corrected, changed, why: [...notes].join('; ') }
}

function refused({ dialect }: AgentRules, event: unknown, why: string): PaveAnswer {
  const reason = `${paveMark} ${why}`
  if (dialect === 'gemini') return { decision: 'deny', reason }
  const no = { permissionDecision: 'deny', permissionDecisionReason: reason }
  return { hookSpecificOutput: { hookEventName: event, ...no } }
}

function note({ kind, from, to, command, message }: PaveEdit): string {
  if (message !== undefined) return message
  const where = command === undefined ? '' : ` of ${command}`
  return to === '' ? `without ${from}${where}` : `${to} instead of ${from}${kind === 'recipe' ? '' : where}`
}

type Fields = Readonly<Record<string, unknown>>

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/**
 * A value with one edit made in it; the same value where nothing matches.
 *
 * @example edited('cd a && pip list', { kind: 'command', from: 'pip', to: 'pip3' }) // 'cd a && pip3 list'
 */
export function edited(value: string, edit: PaveEdit): string {
  const better = applied(value, edit)
  // A rule that matches its own result would lengthen it with every call: where that result stands, it is not made.
  if (better === value || applied(better, edit).length <= better.length) return better
  return edit.kind === 'regex' || holds(value, edit.to) ? value : better
}

/** Whether the parts of a result stand in a value, one behind the other. */
function holds(value: string, to: string): boolean {
  const [text, ...parts] = [value, ...to.split('{args}')].map((part) => part.replaceAll(/\s+/g, ' ').trim())
  let at = 0
  return parts.every((part) => (at = text!.indexOf(part, at)) >= 0)
}

/** The same without a look at what was there before. */
export function applied(value: string, { kind, from, to, command }: PaveEdit): string {
  if (kind === 'literal' || kind === 'regex') {
    const replaced = (text: string): string =>
      kind === 'literal' ? text.replaceAll(from, () => to) : text.replace(new RegExp(from, 'g'), to)
    const places = command === undefined ? [{ start: 0, end: value.length }] : commandsOf(value, command)
    const splices = places.map(({ start, end }) => ({ start, end, text: replaced(value.slice(start, end)) }))
    return spliced(value, splices)
  }
  if (kind === 'flag') {
    const flags = commandsOf(value, command ?? '').flatMap(({ rest }) => flagWords(rest, from))
    const splices = flags.map(({ start, end, text }) => {
      // A flag that is taken away takes the space before it along.
      if (to === '') return { start: value[start - 1] === ' ' ? start - 1 : start, end, text: '' }
      return { start, end, text: to + text.slice(from.length) }
    })
    return spliced(value, splices)
  }
  const several = severalCommands(to)
  const splices = commandsOf(value, from).flatMap(({ start, nameEnd, end, plain }): Splice[] => {
    if (kind === 'command' && !several) return [{ start, end: nameEnd, text: to }]
    const args = value.slice(nameEnd, end)
    const text = kind === 'command' ? to + args : to.replaceAll('{args}', () => args.trim()).trimEnd()
    if (!several || (plain && value.trim() === value.slice(start, end))) return [{ start, end, text }]
    const group = `{ ${text}${/[;&]\s*$|#|<</.test(text) ? '\n' : '; '}}`
    // A group stands only where a command begins, and a line of its own never before a here-document.
    return plain && !(group.includes('\n') && value.includes('<<')) ? [{ start, end, text: group }] : []
  })
  return spliced(value, splices)
}

/** Whether operators, redirections or a comment stand in it, so that what is around it could be for a part only. */
function severalCommands(to: string): boolean {
  const bare = to.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)/gs, 'x')
  return /[;&|<>()\n]|(?:^|\s)#|^\s*!\s/.test(bare)
}

function flagWords(words: readonly Word[], flag: string): Word[] {
  const end = words.findIndex(({ text }) => text === '--')
  return words
    .slice(0, end < 0 ? words.length : end)
    .filter(({ text }) => text === flag || (flag.startsWith('--') && text.startsWith(`${flag}=`)))
}

/** Puts texts into their places, the last first, and of two that overlap only the one that begins later. */
function spliced(value: string, splices: readonly Splice[]): string {
  let [result, free] = [value, value.length]
  for (const { start, end, text } of splices.toSorted((one, other) => other.start - one.start)) {
    if (end > free) continue
    result = result.slice(0, start) + text + result.slice(end)
    free = start
  }
  return result
}

/** A word of a shell line as it is written, quotes included, and the number of the command that it belongs to. */
interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly command: number
}

/** A command in a shell line: where it stands, where its name ends, and the words behind that. */
interface ShellCommand {
  readonly start: number
  readonly nameEnd: number
  readonly end: number
  readonly rest: readonly Word[]
}

/** A text to be put into the place of another. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A word, and whether it begins a command behind no `sudo`, assignment or redirection. */
type FirstWord = Word & { readonly first: boolean }

/** The commands of a shell line that begin with these words. */
function commandsOf(line: string, name: string): (ShellCommand & { readonly plain: boolean })[] {
  const names = name.split(/\s+/).filter(Boolean)
  if (names.length === 0 || !line.includes(names[0]!)) return []
  const commands: FirstWord[][] = []
  for (const word of shellWords(line)) (commands[word.command] ??= []).push(word)
  return commands.flatMap((words) => {
    if (!names.every((each, index) => words[index]?.text === each)) return []
    const [start, end] = [words[0]!.start, words.at(-1)!.end]
    // Nothing of the same command before it, and no redirection within it; $? is another one behind an operator.
    const gaps = words.slice(1).map((word, index) => line.slice(words[index]!.end, word.start))
    const odd = /[^\s\\]/.test(gaps.join('')) || /\$[?!_]/.test(line.slice(start, end))
    const plain = words[0]!.first && !odd && !wrappers.has(words[0]!.text)
    return [{ start, nameEnd: words[names.length - 1]!.end, end, rest: words.slice(names.length), plain }]
  })
}

const goOn = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{'])
const over = new Set(['fi', 'done', 'esac', '}'])
// What stands in these is no command, though it looks like one.
const unclear = new Set(['case', 'select', 'function', '[[', 'coproc'])
const wrappers = new Set(['sudo', 'env', 'time', 'nohup', 'exec', 'command', 'xargs'])

/**
 * The words of the commands in a shell line, without assignments, redirections, keywords, comments, here-documents and
 * what stands in double quotes. None at all for a line that is not understood: then it is left as it is.
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

  /** Commands up to a sign that closes them. */
  function list(closer: string): void {
    let [expected, redirected, wrapped, command, begin] = [true, false, false, 0, at]
    for (;;) {
      const sign = line[at]
      if (sign === closer || sign === undefined) {
        if (sign !== closer && closer !== '') fail()
        at++
        return
      }
      if (line.startsWith('&>', at)) redirected = redirection()
      else if ('\n;&|'.includes(sign)) {
        if (line.startsWith(';;', at)) fail()
        at++
        if (sign === '\n') skipDocuments()
        begin = at
        ;[expected, wrapped, redirected] = [true, false, false]
      } else if (/\s/.test(sign)) at++
      else if (line.startsWith('\\\n', at)) at += 2
      else if (sign === '#') skipOver(/^[^\n]*/)
      else if (sign === '(') {
        if (!expected || line[at + 1] === '(') fail()
        at++
        list(')')
        expected = false
      } else if (sign === ')') fail()
      else if (sign === '<' || sign === '>') redirected = redirection()
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
        else if (named && unclear.has(text)) fail()
        else if (named && over.has(text)) expected = false
        else if (named && goOn.has(text)) begin = first ? at : begin
        else {
          if (named) command = ++count
          if (muted === 0) words.push({ text, start, end: at, command, first })
          expected = wrapped = named && wrappers.has(text)
        }
      }
    }
  }

  /** One word, with all that is quoted or expanded in it. */
  function word(): void {
    for (let sign = line[at]; sign !== undefined && !/[\s;&|()<>]/.test(sign); sign = line[at]) {
      if (sign === '\\') at += 2
      else if (sign === "'") skipOver(/^'[^']*'/)
      else if (sign === '`') skipOver(/^`[^`]*`/)
      else if (line.startsWith("$'", at)) escapedTo("'", 2)
      else if (sign === '"') escapedTo('"', 1)
      else if (sign === '$') expansion()
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

  /** Quotes in which a backslash counts. What runs inside of them is read to find their end, and left alone. */
  function escapedTo(end: string, from: number): void {
    at += from
    muted++
    for (let sign = line[at]; sign !== end; sign = line[at]) {
      if (sign === undefined) fail()
      if (sign === '\\') at += 2
      else if (end === '"' && sign === '$') expansion()
      else if (end === '"' && sign === '`') skipOver(/^`[^`]*`/)
      else at++
    }
    muted--
    at++
  }

  /** Reads a redirection; true if a word follows that is a file. */
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

// Started as a program by a CLI; imported by whoever wants to know what it would say.
if (process.argv[1]?.endsWith(program)) run(process.argv[1], process.argv[2] ?? '')

/** Reads the payload and answers. Whatever goes wrong, the call runs as if there were no hook. */
function run(file: string, agent: string): void {
  const rules = `${file.slice(0, -program.length)}pave-rules.json`
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  const answer = (text: string): never => {
    writeSync(1, text)
    process.exit(0)
  }
  process.on('uncaughtException', () => process.exit(0))
  // On a busy machine the payload and its end may have come while nobody looked: each has a turn to go first.
  setTimeout(() => setImmediate(setImmediate, () => answer('{}')), 5 * limitMs)
  const chunks: Buffer[] = []
  process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
  process.stdin.on('end', () => {
    // A regular expression that runs wild blocks every timer; only the engine itself can stop it.
    const place = globalThis as { answer?: () => string }
    place.answer = () => {
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
