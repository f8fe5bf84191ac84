import { hash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'
import type { Terminal, TerminalNow } from '@remora/sdk/terminal'
import type { Approvals } from '../approvals/approvals.ts'
import type { HookReply } from '../approvals/waiting-hooks.ts'
import type { LiveRecord } from './record.ts'

type ShownAsk = NonNullable<TerminalNow['ask']>

/** How often one looks again in doubt, and how long at most: tmux itself lets a program wait before it tells of a new size. */
const doubtMs = { step: 60, working: 120, bare: 300, most: 1_000 }
/** So long a dialog may stay after its hook has answered it. */
const closingMs = 5_000

/** Brings what a screen asks to those who decide, and their decision back to the screen. */
export class TerminalAsks {
  readonly #ledger: Pick<Ledger, 'asks'>
  readonly #approvals: Approvals
  readonly #record: LiveRecord
  readonly #terminal: Terminal
  #open: { readonly key: SessionKey; readonly ask: Ask; readonly shown: ShownAsk } | undefined
  /** Whose answer is on its way to the screen: when the question vanishes then, that was us. */
  #carrying: string | undefined
  #seen: Promise<void> = Promise.resolve()
  /** Answers in the words of the agent's own hook, where one waits for them. */
  hook: ((ask: ShownAsk) => Promise<HookReply | undefined>) | undefined
  /** Told when an answer was carried, and what is shown after it was seen. */
  carried: (() => void) | undefined

  constructor(
    ledger: Pick<Ledger, 'asks'>,
    approvals: Approvals,
    { record, terminal }: { readonly record: LiveRecord; readonly terminal: Terminal },
  ) {
    this.#ledger = ledger
    this.#approvals = approvals
    this.#record = record
    this.#terminal = terminal
  }

  get open(): boolean {
    return this.#open !== undefined
  }

  /** Settles what was asked when nobody looked, but for what is still shown. */
  async begin(now: TerminalNow): Promise<void> {
    const { id } = this.#record
    for (const { ask, ...key } of await pendingOf(this.#ledger, this.#record)) {
      // A hook that knew more of it does not wait any longer: it is asked again as it is shown.
      if (now.ask && !this.#open && ask.id.startsWith(idOf(id, now.ask)))
        await this.#put(key, askOf(now.ask, ask.id), now.ask)
      else await this.#approvals.settle(key, ask.id, { by: 'terminal' })
    }
  }

  /** One look after the other. */
  see(): Promise<void> {
    // As it is when its turn has come, not as it was.
    const seen = this.#seen.then(() => this.#see(this.#terminal.now))
    this.#seen = seen.catch(() => {})
    return seen
  }

  async #see(now: TerminalNow): Promise<void> {
    // Whoever carries the answer looks again when he is done.
    if (this.#carrying !== undefined) return
    const open = this.#open
    let shown = now.ask
    if (open && open.shown.digest !== shown?.digest) {
      for (let waited = 0, seen = now; waited < doubt(open.shown, seen); waited += doubtMs.step) {
        await sleep(doubtMs.step)
        seen = await this.#terminal.refresh()
        shown = seen.ask
        if (open.shown.digest === shown?.digest || this.#open !== open || this.#carrying !== undefined) return
      }
      await this.#approvals.settle(open.key, open.ask.id, { by: 'terminal' })
      if (this.#open === open) this.#open = undefined
    }
    if (!shown || this.#open) return
    // A dialog that says nothing may not be drawn to its end.
    for (let waited = 0; shown && !shown.body && waited < doubtMs.bare; waited += doubtMs.step) {
      await sleep(doubtMs.step)
      shown = (await this.#terminal.refresh()).ask
    }
    if (!shown || this.#open) return
    const { agent, session, id } = this.#record
    const unique = randomBytes(4).toString('hex')
    await this.#put({ agent, session }, askOf(shown, `${idOf(id, shown)}${unique}`), shown)
  }

  async #put(key: SessionKey, ask: Ask, shown: ShownAsk): Promise<void> {
    const reply = await this.hook?.(shown)
    // To wait for a hook takes a while, in which it may have been answered at the keyboard.
    if (this.hook && this.#terminal.now.ask?.digest !== shown.digest) return
    // The answer counts for all that is told of it.
    const whole = reply
      ? {
          ...ask,
          ...reply.more,
          digest: hash('sha256', JSON.stringify([ask.digest, reply.more])).slice(0, 32),
        }
      : ask
    const open = { key, ask: whole, shown }
    this.#open = open
    try {
      await this.#approvals.open(key, whole, (answer) => this.#carry(whole, shown, answer, reply))
    } catch (error) {
      // Nobody knows of it, so that the next look has to ask it.
      if (this.#open === open) this.#open = undefined
      throw error
    }
  }

  async #carry(
    ask: Ask,
    shown: ShownAsk,
    answer: Answer,
    reply: HookReply | undefined,
  ): Promise<'done' | 'gone'> {
    this.#carrying = ask.id
    try {
      const { option, text } = answer
      const meant = shown.options.find(({ id }) => id === option)?.effect
      // By its hook the agent is answered without a key; what lasts longer than this call only its dialog knows.
      if (reply && text === undefined && (meant === 'allow' || meant === 'deny')) {
        if ((await reply.answer(meant)) === 'done') {
          await this.#closing(shown)
          return 'done'
        }
      }
      // A rule has judged what the hook told. Whether the dialog is about the same, only a person can say.
      if (reply && answer.by === 'policy') return 'gone'
      return await this.#terminal.answer(shown.digest, {
        ...(option === undefined ? {} : { option }),
        ...(text === undefined ? {} : { text }),
      })
    } finally {
      this.#carrying = undefined
      // What is shown now is another question, also if it has the same words: the agent asks again, or still.
      if (this.#open?.ask.id === ask.id) this.#open = undefined
      void this.see().then(
        () => this.carried?.(),
        () => this.carried?.(),
      )
    }
  }

  /** Until a dialog whose hook has answered is not shown any more: it would be taken for another one. */
  async #closing({ digest }: ShownAsk): Promise<void> {
    const end = performance.now() + closingMs
    const shows = async (): Promise<boolean> => (await this.#terminal.refresh()).ask?.digest === digest
    while (performance.now() < end && (await shows().catch(() => false))) await sleep(50)
  }
}

/** What a live session asks, also if it has got another id since. */
export async function pendingOf(
  ledger: Pick<Ledger, 'asks'>,
  { id, agent }: Pick<LiveRecord, 'id' | 'agent'>,
): Promise<(SessionKey & { readonly ask: Ask })[]> {
  const all = await ledger.asks.pending()
  return all.filter((each) => each.agent === agent && each.ask.id.startsWith(`${id}/ask/`))
}

/**
 * How long a question may still be there although one look did not show it: the agent draws its screen anew, as it does
 * when the window gets another size. An input line, or a question with words of its own, leaves no doubt.
 */
function doubt(before: ShownAsk, { state, ask, input }: TerminalNow): number {
  if (state === 'exited' || input !== undefined) return 0
  if (!ask?.body) return state === 'working' ? doubtMs.working : doubtMs.most
  const [one, other] = [wordsOf(before), wordsOf(ask)]
  return one.startsWith(other) || other.startsWith(one) ? doubtMs.most : 0
}

function wordsOf({ title, body = '' }: ShownAsk): string {
  return `${title}${body}`.replaceAll(/\s+/g, '')
}

/** The same question has the same beginning, also for one who comes after us. */
function idOf(live: string, { digest }: ShownAsk): string {
  return `${live}/ask/${digest.slice(0, 8)}-`
}

function askOf(shown: ShownAsk, id: string): Ask {
  const { kind, title, body, tool, input, options, freeText, digest } = shown
  return {
    id,
    kind,
    title,
    ...(body === undefined ? {} : { body }),
    ...(tool === undefined ? {} : { tool }),
    ...(input === undefined ? {} : { input }),
    options: options.map(({ id, label, effect }) => ({ id, label, effect })),
    ...(freeText ? { freeText: true } : {}),
    digest,
  }
}
