import type { Agent, Run, RunResult } from '@remora/sdk'
import { exitCode } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Colors } from '../output/colors.ts'
import { errorLines } from '../output/describe-error.ts'
import { oneLine } from '../output/one-line.ts'
import { PersonPrinter } from './printing/person-printer.ts'
import { type Printer, type Writer, jsonPrinter } from './printing/printer.ts'
import { summary } from './summary.ts'

export interface Running {
  readonly agent: Agent
  readonly run: Run
}

/** The parts of `Io` that showing a run needs. */
export type Screen = Pick<Io, 'out' | 'err' | 'drain' | 'terminal'>

/** What to show of a run. */
export interface View {
  /** Everything, events as JSON lines, or only the answer. */
  readonly as: 'person' | 'json' | 'answer'
  /** Whether the answer is structured output. */
  readonly data: boolean
  readonly thinking: boolean
  readonly paint: Colors
  readonly cwd: string
  /** The folder, if it is not the current one. */
  readonly elsewhere?: string
}

/** Shows one run and returns its exit code. */
export async function showOne({ agent, run }: Running, view: View, io: Screen): Promise<number> {
  const { result, started } = await follow(run, createPrinter(view, io, false, io.terminal), io)
  const { error } = result
  if (!error) io.out(answer(result, view))
  if (error) io.err(errorLines(error))
  if (error && view.data && result.text !== '') io.err(`  Answer: ${oneLine(result.text, 400)}\n`)
  if (view.as === 'person' && started)
    io.err(`${view.paint.dim(summary(agent.id, result, view.elsewhere))}\n`)
  return toExitCode(result)
}

/** Follows a run to its end. Without a printer, no events are kept. */
export async function follow(
  run: Run,
  printer: Printer | undefined,
  io: Screen,
): Promise<{ result: RunResult; started: boolean }> {
  let started = false
  if (printer) {
    for await (const event of run) {
      // The first record of the CLI shows that the agent has started.
      started ||= event.raw !== undefined
      printer.event(event)
      const full = io.drain?.()
      if (full) await full
    }
  }
  const result = await run.result
  printer?.end(result)
  return { result, started }
}

export function createPrinter(
  view: View,
  writer: Writer,
  wholeLines: boolean,
  terminal: boolean,
): Printer | undefined {
  if (view.as === 'answer') return undefined
  if (view.as === 'json') return jsonPrinter(writer)
  // Only structured output goes to standard output; everything else goes to standard error.
  const aside: Writer = { out: (text) => writer.err(text), err: (text) => writer.err(text) }
  return new PersonPrinter(view.data ? aside : writer, {
    paint: view.paint,
    cwd: view.cwd,
    thinking: view.thinking,
    text: !view.data,
    terminal,
    wholeLines,
  })
}

/** The part of a successful result that is printed after its events. */
function answer(result: RunResult, { as, data }: View): string {
  if (as === 'json') return ''
  if (data) return `${JSON.stringify(result.data, null, 2)}\n`
  return as === 'answer' ? `${result.text.trimEnd()}\n` : ''
}

export function toExitCode({ error }: RunResult): number {
  return error ? exitCode(error.code) : 0
}
