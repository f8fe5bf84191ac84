import type { Event, PromptKind } from '@remora/protocol/plain'
import type { Connection, RunResult, Session } from '@remora/sdk'
import type { Colors } from '../../output/colors.ts'
import { errorLines } from '../../output/describe-error.ts'
import { PersonPrinter } from '../printing/person-printer.ts'
import { type Printer, type Writer, jsonPrinter } from '../printing/printer.ts'
import { HeldCalls } from './held-calls.ts'

export interface TalkStyle {
  readonly paint: Colors
  readonly thinking: boolean
  readonly json: boolean
  /** Whether the output is for a user. */
  readonly terminal: boolean
  /** Waits for backpressure. */
  drain?(): Promise<void> | undefined
}

/** A conversation with an agent, printed turn by turn while it runs. */
export class Talk {
  readonly connection: Connection
  readonly session: Session
  readonly #writer: Writer
  readonly #style: TalkStyle
  readonly #person: PersonPrinter
  readonly #calls: HeldCalls
  readonly #printer: Printer
  readonly #inputs = new Map<string, unknown>()
  readonly #printedAsks = new Set<string>()
  #onPrintedAsk: (() => void) | undefined
  /** The current turn until it is fully printed. */
  #turn: Promise<RunResult> | undefined
  #stopping: Promise<void> | undefined
  #answered = false

  constructor(connection: Connection, session: Session, writer: Writer, style: TalkStyle) {
    this.connection = connection
    this.session = session
    this.#writer = writer
    this.#style = style
    const { paint, thinking, terminal } = style
    this.#person = new PersonPrinter(writer, {
      paint,
      thinking,
      terminal,
      cwd: session.cwd,
      text: true,
      wholeLines: false,
    })
    this.#calls = new HeldCalls(this.#person)
    this.#printer = style.json ? jsonPrinter(writer) : this.#calls
  }

  get working(): boolean {
    return this.#turn !== undefined
  }

  /** Whether the agent has produced output. Before that, its session cannot be resumed. */
  get answered(): boolean {
    return this.#answered
  }

  /** Sends a prompt and prints the turn. */
  async turn(text: string, kind?: PromptKind): Promise<RunResult> {
    this.#stopping = undefined
    this.#turn = this.#follow(text, kind)
    try {
      return await this.#turn
    } finally {
      this.#turn = undefined
    }
  }

  /** Interrupts the current turn. Settles when it is fully printed. */
  async cancel(): Promise<void> {
    const turn = this.#turn
    if (!turn) return
    this.#stopping ??= this.session.cancel()
    await this.#stopping
    await turn.catch(() => {})
  }

  /** Prints a line between parts of the agent's output. */
  aside(text: string): void {
    this.#calls.release()
    this.#person.pause()
    this.#writer.out(text)
  }

  getInput(toolUse: string): unknown {
    return this.#inputs.get(toolUse)
  }

  /** Settles when the event of an ask was printed, or after a short timeout. */
  async reached(ask: string): Promise<void> {
    if (this.#printedAsks.has(ask)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 300)
      this.#onPrintedAsk = () => {
        if (!this.#printedAsks.has(ask)) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #follow(text: string, kind?: PromptKind): Promise<RunResult> {
    const run = this.session.prompt(text, kind ? { kind } : {})
    for await (const event of run) {
      this.#note(event)
      this.#printer.event(event)
      const full = this.#style.drain?.()
      if (full) await full
    }
    const result = await run.result
    this.#answered ||= result.ok || result.text !== '' || result.toolCalls > 0
    this.#printer.end(result)
    this.#conclude(result)
    return result
  }

  #note(event: Event): void {
    if (event.type === 'tool_use') this.#inputs.set(event.entity, event.input)
    if (event.type !== 'ask') return
    this.#printedAsks.add(event.ask.id)
    this.#onPrintedAsk?.()
  }

  #conclude(result: RunResult): void {
    const { error, stopReason, durationMs, toolCalls, usage } = result
    if (this.#style.json) {
      if (error) this.#writer.err(errorLines(error))
      return
    }
    const { dim } = this.#style.paint
    if (this.#stopping || stopReason === 'cancelled') this.#writer.err(`${dim('Stopped.')}\n`)
    else if (error) this.#writer.err(errorLines(error))
    else if (this.#style.terminal) {
      const parts = [
        toolCalls > 0 ? `${toolCalls} tool ${toolCalls === 1 ? 'call' : 'calls'}` : '',
        usage.inputTokens === undefined ? '' : `${number(usage.inputTokens)} in`,
        usage.outputTokens === undefined ? '' : `${number(usage.outputTokens)} out`,
        `${(durationMs / 1000).toFixed(1)} s`,
      ]
      this.#writer.err(`${dim(parts.filter((part) => part !== '').join(' · '))}\n`)
    }
  }
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
