import type { Ledger } from '@remora/ledger'
import type { Block, Cursor } from '@remora/protocol'
import type { TerminalNow } from '@remora/sdk/terminal'
import type { LiveRecord } from './record.ts'
import type { TerminalEvents } from './terminal-events.ts'

/** So long the agent gets to write down what it said. */
const graceMs = 3_000

interface Working {
  text: string
  readonly since: number
  /** Where the ledger was when it began. */
  readonly after: Cursor
}

/**
 * Keeps the words of an answer that was broken off: some agents never write them down, and then the screen was the only
 * place where they stood.
 */
export class LostWords {
  readonly #ledger: Pick<Ledger, 'read' | 'head'>
  readonly #record: LiveRecord
  readonly #events: TerminalEvents
  #prompt: string | undefined
  #turn = 0
  #working: Working | undefined

  constructor(ledger: Pick<Ledger, 'read' | 'head'>, record: LiveRecord, events: TerminalEvents) {
    this.#ledger = ledger
    this.#record = record
    this.#events = events
  }

  /** What was said to the agent last. */
  prompted(text: string): void {
    this.#prompt = text
  }

  async see({ state, text }: TerminalNow): Promise<void> {
    if (state === 'working') {
      this.#working ??= { text: '', since: Date.now(), after: await this.#ledger.head() }
      if (text !== undefined && text.length >= this.#working.text.length) this.#working.text = text
      return
    }
    const done = this.#working
    if (state === 'asking' || !done) return
    this.#working = undefined
    const prompt = this.#prompt
    if (done.text === '') return
    setTimeout(() => void this.#keep(done, prompt).catch(() => {}), graceMs).unref()
  }

  async #keep({ text, since, after }: Working, sent: string | undefined): Promise<void> {
    const { agent, session } = this.#record
    let prompt = sent
    const from = (cursor: Cursor) => this.#ledger.read({ session: { agent, session }, after: cursor })
    for (let page = await from(after); page.events.length > 0; page = await from(page.cursor))
      for (const { event } of page.events) {
        // An answer that is there at all is there whole.
        if (event.type === 'text' && event.origin.channel !== 'terminal') return
        // Somebody at the keyboard may have said something else since.
        if (event.type === 'message' && event.role === 'user') prompt = wordsOf(event.content) || prompt
      }
    if (prompt === undefined) return
    const entity = `${this.#record.id}/turn/${since}-${++this.#turn}`
    await this.#events.tell(
      {
        type: 'message',
        at: since,
        entity: `${entity}/prompt`,
        role: 'user',
        content: [{ type: 'text', text: prompt }],
      },
      { type: 'text', entity: `${entity}/text`, offset: 0, text },
      { type: 'done', entity, ok: false, stopReason: 'cancelled' },
    )
  }
}

function wordsOf(content: readonly Block[] | undefined): string {
  return (content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
