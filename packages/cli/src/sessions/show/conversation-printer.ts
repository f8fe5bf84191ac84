import type { Block, Message, ThinkingBlock, ToolResultBlock, ToolUseBlock } from '@remora/protocol/plain'
import { agentTitle } from '../../detection/agent-names.ts'
import type { Colors } from '../../output/colors.ts'
import { describeTool } from '../../output/describe-tool.ts'
import { plural } from '../../output/format-number.ts'
import { formatTime } from '../../output/format-time.ts'
import { harmless, oneLine } from '../../output/one-line.ts'
import { cutTo } from '../../output/text-width.ts'
import { createDiff, foldLines, outputText } from './tool-output.ts'

export interface ConversationStyle {
  readonly paint: Colors
  /** Tool paths are shown relative to this folder. */
  readonly cwd: string
  readonly thinking: boolean
  readonly terminal: boolean
  readonly columns?: number | undefined
}

/** The speaker: a user, an agent, or the CLI. */
type Speaker = Pick<Message, 'role' | 'tool' | 'timestamp' | 'model' | 'context' | 'parent'>

/** Prints a conversation: a heading when the speaker changes, text as is, and one line per tool call. */
export class ConversationPrinter {
  readonly #write: (text: string) => void
  readonly #style: ConversationStyle
  readonly #calls = new Map<string, { use: ToolUseBlock; shown?: string }>()
  #speaker = ''
  /** The next speaker, printed with its first output. */
  #next: Speaker | undefined
  #indent = ''
  /** The kind of the last line, for spacing. */
  #last: 'nothing' | 'head' | 'words' | 'tools' = 'nothing'
  /** The call on the unfinished line. */
  #open: string | undefined

  constructor(write: (text: string) => void, style: ConversationStyle) {
    this.#write = write
    this.#style = style
  }

  /** Prints a whole message. */
  message(message: Message): void {
    if (message.role === 'system')
      return this.notice(outputText(message.content.filter(({ type }) => type === 'text') as never))
    this.speaker(message)
    for (const block of message.content) this.block(block)
    const isPartial = message.content.some((block) => block.type === 'text' && block.partial)
    if (message.interrupted || isPartial)
      this.#toolLine(this.#style.paint.dim(message.interrupted ? '(interrupted)' : '(incomplete)'))
  }

  /** Sets the speaker of the following output. */
  speaker(speaker: Speaker): void {
    this.#next = speaker
  }

  block(block: Block): void {
    switch (block.type) {
      case 'text':
        return this.words(block.text)
      case 'thinking':
        return this.thought(block)
      case 'tool_use':
        return this.call(block)
      case 'tool_result':
        return this.result(block)
      case 'slash_command':
        return this.words(`${block.command}${block.args ? ` ${block.args}` : ''}`)
      default:
        return this.#toolLine(`◆ ${block.type}${block.name ? ` ${oneLine(block.name, 100)}` : ''}`)
    }
  }

  words(text: string, paint: (line: string) => string = String): void {
    const shown = this.#clean(text).replaceAll(/^(?:[ \t]*\n)+|\s+$/g, '')
    if (shown === '') return
    this.#introduce()
    this.#close()
    if (this.#last === 'tools' || this.#last === 'words') this.#line('')
    for (const line of shown.split('\n')) this.#line(paint(line))
    this.#last = 'words'
  }

  thought({ thinking, subject, description }: Omit<ThinkingBlock, 'type'>): void {
    if (this.#style.thinking)
      this.words(subject === undefined ? thinking : `${subject}\n${description ?? ''}`, this.#style.paint.dim)
  }

  /** Prints a tool call. Its line stays open for the result. */
  call(use: ToolUseBlock): void {
    const known = this.#calls.get(use.id)
    if (known) return
    this.#calls.set(use.id, { use })
    this.#introduce()
    this.#close()
    if (this.#last === 'words') this.#line('')
    this.#write(`${this.#indent}  ${this.#style.paint.cyan('▸')} ${this.#label(use)}`)
    this.#open = use.id
    this.#last = 'tools'
  }

  result(result: Omit<ToolResultBlock, 'type' | 'is_error'>): void {
    const call = this.#calls.get(result.tool_use_id)
    const { status } = result
    // A later result with another status corrects the line.
    if (!call || call.shown === status) return
    call.shown = status
    const { paint } = this.#style
    const mark = status === 'success' ? paint.green('✓') : paint.red(status === 'error' ? '✗' : `✗ ${status}`)
    if (this.#open === result.tool_use_id) this.#write(` ${mark}\n`)
    else {
      this.#close()
      this.#line(`  ${paint.cyan('▸')} ${this.#label(call.use)} ${mark}`)
    }
    this.#open = undefined
    this.#last = 'tools'
    this.#outcome(call.use, result)
  }

  /** Prints a message of the CLI, such as an error. */
  notice(text: string): void {
    this.#close()
    const lines = this.#clean(text).trim().split('\n')
    if (this.#last !== 'nothing') this.#write('\n')
    for (const [index, line] of lines.entries())
      this.#line(this.#style.paint.yellow(`${index === 0 ? '!' : ' '} ${line}`))
    // The next speaker gets a heading again.
    this.#speaker = ''
    this.#last = 'words'
  }

  end(): void {
    this.#close()
  }

  /** Prints a heading if the speaker changed. */
  #introduce(): void {
    if (!this.#next) return
    const { role, tool, timestamp, model, context, parent } = this.#next
    this.#next = undefined
    const { paint } = this.#style
    const who = context ? 'context' : role === 'user' ? 'user' : tool
    const speaker = `${parent ?? ''} ${who} ${model ?? ''}`
    // Every prompt gets a heading; an agent gets one until the speaker changes.
    if (speaker === this.#speaker && who === tool) return
    this.#speaker = speaker
    this.#close()
    if (this.#last !== 'nothing') this.#write('\n')
    this.#indent = parent === undefined ? '' : `${paint.dim('│')} `
    const name =
      parent !== undefined && role === 'user'
        ? paint.bold('› To a subagent')
        : context
          ? paint.dim('· Context')
          : role === 'user'
            ? paint.bold(paint.green('› You'))
            : paint.bold(paint.cyan(`● ${agentTitle(tool)}`))
    const aside = [timestamp > 0 ? formatTime(timestamp) : '', model ? oneLine(model, 60) : ''].filter(
      Boolean,
    )
    this.#line(`${name} ${paint.dim(aside.join(' · '))}`)
    this.#last = 'head'
  }

  #outcome(use: ToolUseBlock, result: Omit<ToolResultBlock, 'type' | 'is_error'>): void {
    const { paint } = this.#style
    const diff = createDiff(use, result)
    if (diff)
      return this.#folded(
        diff.map((line) => this.#clean(line)),
        16,
        4,
        (line) => dye(line, paint),
      )
    const text = this.#clean(outputText(result.content)).replaceAll(/^\n+|\s+$/g, '')
    if (text !== '') this.#folded(text.split('\n'), 5, 2, paint.dim)
  }

  #folded(all: readonly string[], first: number, last: number, paint: (line: string) => string): void {
    const { lines, hidden, at } = foldLines(all, first, last)
    for (const [index, line] of lines.entries()) {
      if (hidden > 0 && index === at)
        this.#line(this.#style.paint.dim(`    … ${plural(hidden, 'more line')}`))
      this.#line(`    ${paint(cutTo(line.replaceAll('\t', '  '), (this.#style.columns ?? 400) - 6))}`)
    }
  }

  #label({ name, input }: ToolUseBlock): string {
    return cutTo(describeTool(name, input, this.#style.cwd), (this.#style.columns ?? 120) - 10)
  }

  #toolLine(text: string): void {
    this.#introduce()
    this.#close()
    this.#line(`  ${text}`)
    this.#last = 'tools'
  }

  #line(text: string): void {
    this.#write(`${`${this.#indent}${text}`.trimEnd()}\n`)
  }

  #close(): void {
    if (this.#open !== undefined) this.#write('\n')
    this.#open = undefined
  }

  #clean(text: string): string {
    return harmless(text)
  }
}

/** The usual colours of diffs. */
function dye(line: string, { green, red, cyan, dim }: Colors): string {
  if (line.startsWith('@@')) return cyan(line)
  return line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : dim(line)
}
