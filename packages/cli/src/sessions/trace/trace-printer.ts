import { mask } from '@remora/ledger'
import type { Colors } from '../../output/colors.ts'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { formatTime } from '../../output/format-time.ts'
import { harmless, oneLine } from '../../output/one-line.ts'
import { cutTo, padTo } from '../../output/text-width.ts'
import { digest } from './digest.ts'
import type { Exchange } from './exchange.ts'
import { toFields, toText } from './wire.ts'

interface TraceStyle {
  readonly paint: Colors
  /** Lines are cut to this width; never if it is undefined. */
  readonly columns: number | undefined
  /** Prints every message in full, unmasked. */
  readonly full: boolean
}

/** Consecutive chunks of one kind. */
interface Chunks {
  readonly first: Exchange
  count: number
  text: string
  last: number
}

const chunkKinds = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'])

/** Prints one line per message, and one line for all chunks of a text. */
export class TracePrinter {
  readonly #style: TraceStyle
  #chunks: Chunks | undefined
  #connection: string | undefined

  constructor(style: TraceStyle) {
    this.#style = style
  }

  /** The lines that a message completes. */
  add(exchange: Exchange): string {
    const { connection } = exchange.wire
    let text = ''
    if (connection !== this.#connection) {
      text += this.end()
      if (this.#connection !== undefined) text += '\n'
      this.#connection = connection
      text += `${this.#style.paint.dim(`Connection ${connection}`)}\n`
    }
    if (this.#style.full) return text + this.#whole(exchange)
    const piece = chunkKinds.has(exchange.update ?? '') ? getStreamedPart(exchange) : undefined
    if (piece === undefined) return text + this.end() + this.#line(exchange, digest(exchange))
    if (this.#chunks?.first.update !== exchange.update) {
      text += this.end()
      this.#chunks = { first: exchange, count: 0, text: '', last: 0 }
    }
    const chunks = this.#chunks!
    chunks.count++
    chunks.text += piece
    chunks.last = exchange.wire.at
    return text
  }

  /** The line of the pending chunks. */
  end(): string {
    const chunks = this.#chunks
    this.#chunks = undefined
    if (!chunks) return ''
    const times = chunks.count === 1 ? '' : `×${wholeNumber(chunks.count)}, `
    const about = `${times}${plural(chunks.text.length, 'character')}: "${oneLine(mask(chunks.text), 80)}"`
    return this.#line(chunks.first, about)
  }

  #line(exchange: Exchange, about: string): string {
    const { paint, columns } = this.#style
    const { head, name } = this.#parts(exchange)
    const took = exchange.took === undefined ? '' : `${duration(exchange.took)}  `
    const width = columns === undefined ? Infinity : columns - 1 - 20 - name.length - 2
    const rest = cutTo(`${took}${about}`, width)
    const shown = took !== '' && rest.startsWith(took) ? paint.dim(took) + rest.slice(took.length) : rest
    return `${head} ${this.#painted(exchange, name)}${rest === '' ? '' : `  ${shown}`}\n`
  }

  #whole(exchange: Exchange): string {
    const { head, name } = this.#parts(exchange)
    const took = exchange.took === undefined ? '' : `  ${this.#style.paint.dim(duration(exchange.took))}`
    const body = JSON.stringify(exchange.wire.message, null, 2).replaceAll(/^/gm, '  ')
    return `${head} ${this.#painted(exchange, name)}${took}\n${body}\n`
  }

  #parts(exchange: Exchange): { head: string; name: string } {
    const { paint } = this.#style
    const { at, from, message } = exchange.wire
    const arrow = from === 'client' ? paint.cyan('→') : paint.green('←')
    const id = exchange.kind === 'notification' ? '' : String(message['id'])
    const name = harmless(exchange.update ?? exchange.method)
    return { head: `${paint.dim(preciseTime(at))} ${arrow} ${padTo(cutTo(id, 8), 4, 'right')}`, name }
  }

  #painted({ kind, wire }: Exchange, name: string): string {
    const { paint } = this.#style
    if (wire.message['error'] !== undefined) return paint.red(name)
    return kind === 'request' ? paint.bold(name) : name
  }
}

function getStreamedPart({ wire }: Exchange): string | undefined {
  const update = toFields(toFields(wire.message['params'])?.['update'])
  const content = toFields(update?.['content'])
  return content?.['type'] === 'text' ? toText(content['text']) : undefined
}

/** The local time to the millisecond. @example preciseTime(0) // '00:00:00.000' */
function preciseTime(at: number): string {
  const date = new Date(at)
  const seconds = String(date.getSeconds()).padStart(2, '0')
  return `${formatTime(at)}:${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`
}
