import type { RunResult } from '@remora/sdk'
import type { Colors } from '../output/colors.ts'
import { describeError, errorLines } from '../output/describe-error.ts'
import type { Writer } from './printing/printer.ts'
import { type Running, type Screen, type View, toExitCode, follow, createPrinter } from './show-run.ts'
import { summary } from './summary.ts'

/** Shows several runs at once, each with its label, and returns the highest exit code. */
export async function showSideBySide(runs: readonly Running[], view: View, io: Screen): Promise<number> {
  const names = new Names(
    runs.map(({ agent }) => agent.id),
    view.paint,
  )
  const ends = runs.map(async ({ agent, run }) => {
    const writer = view.as === 'person' ? new LabelledWriter(names.prefix(agent.id), io) : undefined
    const end = await follow(run, createPrinter(view, writer ?? io, true, io.terminal), io)
    writer?.end()
    return { agent: agent.id, ...end }
  })
  if (view.as === 'answer' && !view.data) {
    // In the order of the command line, each as soon as the previous ones are printed.
    for (const end of ends) {
      const { agent, result } = await end
      io.out(`${names.bold(agent)}:\n${result.error ? '' : `${result.text.trimEnd()}\n`}\n`)
    }
  }
  const all = await Promise.all(ends)
  if (view.data && view.as !== 'json')
    io.out(`${JSON.stringify(Object.fromEntries(all.map(toData)), null, 2)}\n`)
  for (const { agent, result, started } of all) {
    if (view.as === 'person') io.err(row(agent, result, started, names, view))
    else if (result.error)
      io.err(errorLines({ ...result.error, message: `${agent}: ${result.error.message}` }))
  }
  return Math.max(...all.map(({ result }) => toExitCode(result)))
}

function toData({ agent, result }: { agent: string; result: RunResult }): [string, unknown] {
  return [agent, result.data ?? null]
}

function row(agent: string, result: RunResult, started: boolean, names: Names, view: View): string {
  const { green, red, dim } = view.paint
  const cost = started ? dim(summary(agent, result, view.elsewhere)) : ''
  if (!result.error) return `${green('✓')} ${names.bold(agent)}  ${cost}\n`
  const { what, todo } = describeError(result.error)
  const lines = [`${red('✗')} ${names.bold(agent)}  ${what}`, todo && `    ${todo}`, cost && `    ${cost}`]
  return lines.map((line) => (line ? `${line}\n` : '')).join('')
}

/** Labels of the agents, each in its own colour and padded to one width. */
class Names {
  readonly #names: readonly string[]
  readonly #paint: Colors

  constructor(names: readonly string[], paint: Colors) {
    this.#names = names
    this.#paint = paint
  }

  prefix(name: string): string {
    const width = Math.max(...this.#names.map(({ length }) => length))
    return `${this.#colour(name)(name.padEnd(width))} ${this.#paint.dim('│')} `
  }

  bold(name: string): string {
    return this.#paint.bold(this.#colour(name)(name))
  }

  #colour(name: string): (text: string) => string {
    const { cyan, magenta, yellow, blue, green } = this.#paint
    const colours = [cyan, magenta, yellow, blue, green]
    return colours[this.#names.indexOf(name) % colours.length]!
  }
}

/** Writes whole lines with a label, so that several runs can share one output. */
export class LabelledWriter implements Writer {
  readonly #prefix: string
  readonly #writer: Writer
  readonly #rest = { out: '', err: '' }

  /** @example new LabelledWriter('gemini │ ', io) */
  constructor(prefix: string, writer: Writer) {
    this.#prefix = prefix
    this.#writer = writer
  }

  out(text: string): void {
    this.#write('out', text)
  }

  err(text: string): void {
    this.#write('err', text)
  }

  /** Writes the rest that has no line end. */
  end(): void {
    for (const where of ['out', 'err'] as const) if (this.#rest[where] !== '') this.#write(where, '\n')
  }

  #write(where: 'out' | 'err', text: string): void {
    if (!text.includes('\n')) {
      this.#rest[where] += text
      return
    }
    const lines = (this.#rest[where] + text).split('\n')
    this.#rest[where] = lines.pop()!
    this.#writer[where](lines.map((line) => `${this.#prefix}${line}\n`).join(''))
  }
}
