import type { Event, EventOf } from '@remora/protocol/plain'
import type { RunResult } from '@remora/sdk'
import type { Colors } from '../../output/colors.ts'
import { describeTool } from '../../output/describe-tool.ts'
import { harmless, oneLine } from '../../output/one-line.ts'
import type { Printer, Writer } from './printer.ts'

export interface PersonStyle {
  readonly paint: Colors
  /** Tool paths are shown relative to this folder. */
  readonly cwd: string
  /** Whether to show thinking. */
  readonly thinking: boolean
  /** Whether to show text. Structured output is shown instead. */
  readonly text: boolean
  /** Whether both outputs go to a terminal and share its lines. */
  readonly terminal: boolean
  /** Whether to print whole lines only, because other runs print between them. */
  readonly wholeLines: boolean
}

/** Prints a run while it is running: text as it streams, one line per tool call, notes on standard error. */
export class PersonPrinter implements Printer {
  readonly #writer: Writer
  readonly #style: PersonStyle
  /** The entity of the unfinished line. */
  #open: string | undefined
  readonly #lengths = new Map<string, number>()
  readonly #tools = new Map<string, { label: string; indent: string; shown?: string }>()
  /** The last error, which is not repeated if it ends the run. */
  #held: EventOf<'error'> | undefined

  constructor(writer: Writer, style: PersonStyle) {
    this.#writer = writer
    this.#style = style
  }

  event(event: Event): void {
    if (this.#held && event.type !== 'done' && event.type !== 'error') this.#release()
    switch (event.type) {
      case 'text':
        // Text of a subagent is for its parent agent.
        if (this.#style.text && event.parent === undefined) this.#say(event, (text) => text)
        return
      case 'thinking':
        if (this.#style.thinking) this.#say(event, this.#style.paint.dim)
        return
      case 'tool_use':
        return this.#toolUse(event)
      case 'tool_result':
        return this.#toolResult(event)
      case 'media':
        return this.#line(`◆ ${event.kind}${event.name ? ` ${oneLine(event.name, 100)}` : ''}`)
      case 'status':
        return this.#status(event)
      case 'error':
        return this.#error(event)
      default:
        return
    }
  }

  end({ error }: RunResult): void {
    if (this.#held && this.#held.message !== error?.message) this.#release()
    this.#held = undefined
    this.#close()
  }

  /** Ends the unfinished line, before output of others. */
  pause(): void {
    this.#close()
  }

  #say(event: EventOf<'text' | 'thinking'>, paint: (text: string) => string): void {
    const { entity, offset, text } = event
    const shown = this.#lengths.get(entity) ?? 0
    const fresh = text.slice(Math.max(0, shown - offset))
    if (fresh === '') return
    this.#lengths.set(entity, offset + text.length)
    if (this.#open !== entity) this.#close()
    this.#writer.out(paint(harmless(fresh)))
    this.#open = fresh.endsWith('\n') ? undefined : entity
  }

  #toolUse({ entity, name, input, parent }: EventOf<'tool_use'>): void {
    // Some CLIs report a call again with more details.
    if (this.#tools.has(entity)) return
    const label = describeTool(name, input, this.#style.cwd)
    const indent = parent === undefined ? '' : '  '
    this.#tools.set(entity, { label, indent })
    this.#close()
    this.#writer.out(`${indent}${this.#style.paint.cyan('▸')} ${label}`)
    this.#open = entity
    if (this.#style.wholeLines) this.#close()
  }

  #toolResult({ entity, status, content }: EventOf<'tool_result'>): void {
    const tool = this.#tools.get(entity)
    // A later result with another status corrects the line: some agents report how a command ended only afterwards.
    if (!tool || tool.shown === status) return
    tool.shown = status
    const { green, red } = this.#style.paint
    const mark = status === 'success' ? green('✓') : red('✗')
    const reason = status === 'success' ? '' : why(status, content)
    if (this.#open === entity) this.#writer.out(` ${mark}${reason && ` ${reason}`}\n`)
    else {
      this.#close()
      this.#writer.out(`${tool.indent}${mark} ${tool.label}${reason && `: ${reason}`}\n`)
    }
    this.#open = undefined
  }

  #status({ status, detail, value }: EventOf<'status'>): void {
    if (status !== 'retrying' && status !== 'compacting') return
    const waitMs = (value as { waitMs?: unknown } | undefined)?.waitMs
    const wait = typeof waitMs === 'number' && waitMs > 0 ? ` in ${(waitMs / 1000).toFixed(1)} s` : ''
    this.#remark(`… ${status}${wait}${detail ? `: ${oneLine(detail, 120)}` : ''}`)
  }

  #error(event: EventOf<'error'>): void {
    if (event.severity === 'warning') return this.#remark(`! ${oneLine(event.message, 300)}`)
    if (this.#held && this.#held.message !== event.message) this.#release()
    this.#held = event
  }

  #release(): void {
    if (this.#held) this.#remark(`! ${oneLine(this.#held.message, 300)}`)
    this.#held = undefined
  }

  /** Prints a note on standard error. The unfinished line is ended only if both outputs share a terminal. */
  #remark(text: string): void {
    if (this.#style.terminal && !this.#style.wholeLines) this.#close()
    this.#writer.err(`${this.#style.paint.dim(text)}\n`)
  }

  #line(text: string): void {
    this.#close()
    this.#writer.out(`${text}\n`)
  }

  #close(): void {
    if (this.#open !== undefined) this.#writer.out('\n')
    this.#open = undefined
  }
}

function why(status: string, content: EventOf<'tool_result'>['content']): string {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const line = oneLine(text.split('\n').find((each) => each.trim() !== '') ?? '', 160)
  if (status === 'error') return line || 'failed'
  return line ? `${status}: ${line}` : status
}
