import type { Ledger } from '@remora/ledger'
import { type Cursor, isInterruption, textOf } from '@remora/protocol'
import type { TerminalNow } from '@remora/sdk/terminal'
import type { LiveRecord } from './record.ts'
import type { TerminalEvents } from './terminal-events.ts'
import { cutWritten } from './turn-text.ts'

/** How long the agent may take to write down what it said. */
const defaultGraceMs = 3_000
/** How much later than the start of work a prompt may be dated. */
const slackMs = 1_000

interface Prompt {
  readonly text: string
  readonly at: number
}

interface Turn {
  text: string
  readonly since: number
  /** When the turn before ended, and where the ledger was then. */
  readonly idleSince: number
  readonly after: Cursor
}

/** What the agent itself wrote down of a turn. */
interface Written {
  readonly prompts: readonly Prompt[]
  readonly texts: readonly string[]
  readonly isInterrupted: boolean
}

/**
 * Keeps the prompt and the text of an answer that was interrupted. Some agents never write them down, and then the screen
 * was the only place that had them.
 */
export class LostWords {
  readonly #ledger: Pick<Ledger, 'read' | 'head'>
  readonly #record: LiveRecord
  readonly #events: TerminalEvents
  readonly #graceMs: number
  #sent: Prompt | undefined
  #turn: Turn | undefined
  /** The turn before, and when it ended. */
  #last: (Turn & { readonly endedAt: number }) | undefined
  #idle: Pick<Turn, 'after' | 'idleSince'> | undefined
  /** The last text that was kept: a screen that looks idle for a moment ends a turn twice. */
  #kept:
    | { readonly prompt: string; readonly after: Cursor; readonly entity: string; length: number }
    | undefined
  #count = 0

  constructor(
    ledger: Pick<Ledger, 'read' | 'head'>,
    record: LiveRecord,
    events: TerminalEvents,
    graceMs = defaultGraceMs,
  ) {
    this.#ledger = ledger
    this.#record = record
    this.#events = events
    this.#graceMs = graceMs
  }

  /** A prompt is sent to the agent. */
  prompted(text: string): void {
    this.#sent = { text, at: Date.now() }
  }

  /** @param text The answer under way, as the screen shows it. */
  async see(state: TerminalNow['state'], text: string | undefined): Promise<void> {
    this.#idle ??= { idleSince: 0, after: await this.#ledger.head() }
    if (state === 'working') {
      this.#turn ??= this.#begin(this.#idle)
      if (text !== undefined && text.length >= this.#turn.text.length) this.#turn.text = text
      return
    }
    const turn = this.#turn
    if (state === 'asking' || !turn) return
    this.#turn = undefined
    const sent = this.#sent && this.#sent.at >= turn.idleSince ? this.#sent : undefined
    const endedAt = Date.now()
    this.#last = { ...turn, endedAt }
    this.#idle = { idleSince: endedAt, after: await this.#ledger.head() }
    setTimeout(() => void this.#keep(turn, sent).catch(() => {}), this.#graceMs).unref()
  }

  /** A turn that the screen interrupts for a moment begins where it began first. */
  #begin(idle: Pick<Turn, 'after' | 'idleSince'>): Turn {
    const since = Date.now()
    const last = this.#last
    const isSame =
      last &&
      since - last.endedAt < this.#graceMs &&
      (this.#sent === undefined || this.#sent.at < last.endedAt)
    const { idleSince, after } = isSame ? last : idle
    return { text: '', since, idleSince, after }
  }

  async #keep(turn: Turn, sent: Prompt | undefined): Promise<void> {
    const { prompts, texts, isInterrupted } = await this.#readWritten(turn)
    // An answer that ended by itself is written down whole, however the screen rendered it.
    const text = texts.length > 0 && !isInterrupted ? '' : cutWritten(turn.text, texts)
    const written = prompts.findLast(({ at }) => at <= turn.since + slackMs) ?? prompts[0]
    const prompt = written ?? sent
    // A slash command starts no turn, and is in no transcript.
    if (!prompt || (text === '' && (written !== undefined || /^[/!?#]/.test(prompt.text)))) return
    const isSame = this.#kept?.prompt === prompt.text && this.#kept.after === turn.after
    if (isSame && text.length <= this.#kept!.length) return
    const entity = isSame ? this.#kept!.entity : `${this.#record.id}/turn/${turn.since}-${++this.#count}`
    this.#kept = { prompt: prompt.text, after: turn.after, entity, length: text.length }
    await this.#events.tell(
      {
        type: 'message',
        at: prompt.at,
        entity: `${entity}/prompt`,
        role: 'user',
        content: [{ type: 'text', text: prompt.text }],
      },
      ...(text === '' ? [] : [{ type: 'text' as const, entity: `${entity}/text`, offset: 0, text }]),
      { type: 'done', entity, ok: false, stopReason: 'cancelled' },
    )
  }

  /** What other channels reported since the turn before ended. A list that is written again repeats older records. */
  async #readWritten({ after, idleSince }: Turn): Promise<Written> {
    const { agent, session } = this.#record
    const prompts: Prompt[] = []
    const texts: string[] = []
    let isInterrupted = false
    const from = (cursor: Cursor) => this.#ledger.read({ session: { agent, session }, after: cursor })
    for (let page = await from(after); page.events.length > 0; page = await from(page.cursor))
      for (const { event } of page.events) {
        const { at, origin, parent } = event
        if (origin.channel === 'terminal' || parent !== undefined || at < idleSince) continue
        if (event.type === 'text' && event.text.trim() !== '') texts.push(event.text)
        isInterrupted ||= isInterruption(event)
        // Context has the user's role, but is never the user's text.
        if (event.type !== 'message' || event.role !== 'user' || event.context) continue
        const text = textOf({ content: event.content ?? [] })
        if (text !== '') prompts.push({ at, text })
      }
    return { prompts, texts, isInterrupted }
  }
}
