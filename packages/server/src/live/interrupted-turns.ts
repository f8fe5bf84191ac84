import type { Ledger } from '@remora/ledger'
import { type Cursor, isInterruption, getMessageText } from '@remora/protocol'
import type { TerminalNow } from '@remora/sdk/terminal'
import type { LiveRecord } from './live-record.ts'
import type { TerminalEvents } from './terminal-events.ts'

/** How long the transcript may lag behind the screen. */
const defaultGraceMs = 3_000
/** How much later than the start of work a prompt may be dated. */
const slackMs = 1_000

interface Prompt {
  readonly text: string
  readonly at: number
}

interface Turn {
  text: string
  /** The text before the screen looked idle for a moment; a prompt typed at the keyboard may have replaced it. */
  readonly earlierText?: string | undefined
  /** The prompt that a client sent for this turn. */
  sent?: Prompt | undefined
  /** Whether the screen says that its last text was interrupted. */
  isStopped?: boolean
  readonly since: number
  /** When the turn before ended, and where the ledger was then. */
  readonly idleSince: number
  readonly after: Cursor
}

/** The records of a turn by the agent itself. */
interface Written {
  readonly prompts: readonly Prompt[]
  readonly texts: readonly string[]
  readonly isInterrupted: boolean
}

/**
 * Keeps the prompt and the text of an answer that was interrupted. Some agents do not record them, so only the screen
 * has them.
 */
export class InterruptedTurns {
  readonly #ledger: Pick<Ledger, 'read' | 'head'>
  readonly #record: LiveRecord
  readonly #events: TerminalEvents
  readonly #graceMs: number
  /** A prompt that was sent and belongs to no turn yet. */
  #sent: Prompt | undefined
  #turn: Turn | undefined
  /** The last turn, until the screen was idle for the grace period. */
  #ending: { readonly turn: Turn; readonly timer: NodeJS.Timeout } | undefined
  #idle: Pick<Turn, 'after' | 'idleSince'> | undefined
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
  async see(
    { state, interrupted }: Pick<TerminalNow, 'state' | 'interrupted'>,
    text: string | undefined,
  ): Promise<void> {
    this.#idle ??= { idleSince: 0, after: await this.#ledger.head() }
    if (state === 'working') {
      this.#turn ??= this.#resume() ?? { text: '', since: Date.now(), ...this.#idle }
      if (text !== undefined && text.length >= this.#turn.text.length) this.#turn.text = text
      return
    }
    const turn = this.#turn
    if (state === 'asking' || !turn) return
    this.#turn = undefined
    turn.isStopped = interrupted === true
    turn.sent = this.#sent ?? turn.sent
    this.#sent = undefined
    this.#idle = { idleSince: Date.now(), after: await this.#ledger.head() }
    const timer = setTimeout(() => {
      if (this.#ending?.turn === turn) this.#ending = undefined
      void this.#keep(turn).catch(() => {})
    }, this.#graceMs).unref()
    this.#ending = { turn, timer }
  }

  /** A screen that looks idle for a moment does not end the turn, unless another prompt was sent since. */
  #resume(): Turn | undefined {
    const ending = this.#ending
    if (!ending || this.#sent) return undefined
    clearTimeout(ending.timer)
    this.#ending = undefined
    const { turn } = ending
    return { ...turn, since: Date.now(), text: '', earlierText: turn.text || turn.earlierText }
  }

  async #keep(turn: Turn): Promise<void> {
    const { prompts, texts, isInterrupted } = await this.#readWritten(turn)
    // The transcript has the whole text of a finished answer, however the screen rendered it. If only the screen says that
    // it was interrupted, the same text is marked.
    const stopped = (turn.isStopped && texts.at(-1)) || ''
    const text =
      texts.length > 0 && !isInterrupted ? stopped : cutWritten(turn.text || turn.earlierText || '', texts)
    const written = prompts.findLast(({ at }) => at <= turn.since + slackMs) ?? prompts[0]
    const prompt = written ?? turn.sent
    // A slash command starts no turn, and is in no transcript.
    if (!prompt || (text === '' && (written !== undefined || /^[/!?#]/.test(prompt.text)))) return
    const entity = `${this.#record.id}/turn/${turn.since}-${++this.#count}`
    await this.#events.append(
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

  /** Reads what other channels reported since the turn before. A transcript that is rewritten repeats older records. */
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
        const text = getMessageText({ content: event.content ?? [] })
        if (text !== '') prompts.push({ at, text })
      }
    return { prompts, texts, isInterrupted }
  }
}

/**
 * Finds the answer under way on the screen. A screen that has not drawn the new prompt yet still shows the answer to the
 * prompt before, which must not be taken for the new one.
 */
export class TurnText {
  #shown = ''
  /** The answer of the turn before, while nothing else was seen. */
  #previous = ''
  #isWorking = false

  /** The text of the turn under way, if the screen shows some. */
  read({ state, text }: Pick<TerminalNow, 'state' | 'text'>): string | undefined {
    const isWorking = state === 'working' || state === 'asking'
    if (isWorking && !this.#isWorking) this.#previous = getLetters(this.#shown)
    this.#isWorking = isWorking
    if (text === undefined) return undefined
    this.#shown = text
    if (!isWorking || this.#previous.includes(getLetters(text))) return undefined
    this.#previous = ''
    return text
  }
}

/** A line of this many letters is recognised. A shorter one may occur anywhere. */
const distinctive = 12

/**
 * The end of the text on a screen that no written text has. A screen wraps lines and renders markup, so only letters and
 * digits are compared.
 *
 * @example cutWritten('I will look at it.\nNow the tests', ['I *will* look at it.']) // 'Now the tests'
 */
export function cutWritten(text: string, written: readonly string[]): string {
  const known = getLetters(written.join('\n'))
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => {
    const letters = getLetters(line)
    return letters.length >= distinctive && known.includes(letters)
  })
  const rest = lines
    .slice(last + 1)
    .join('\n')
    .trim()
  return known !== '' && known.includes(getLetters(rest)) ? '' : rest
}

function getLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
