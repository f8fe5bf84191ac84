import { hash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Answer, Ask, Cursor } from '@remora/protocol'
import type { Terminal, TerminalNow } from '@remora/sdk/terminal'
import { AskOutcomes, type AskWatch, type Outcome } from '../approvals/ask-outcomes.ts'
import { isSameDialog, scoreCall } from '../approvals/join-ask.ts'
import type { HookReply } from '../approvals/waiting-hooks.ts'
import type { Approvals } from '../core/approvals.ts'
import type { LiveRecord } from './live-record.ts'

type ShownAsk = NonNullable<TerminalNow['ask']>

/** Interval and limits of the checks whether a dialog is really gone. */
const doubtMs = { step: 60, working: 120, most: 1_000 }
/** How long a dialog may take to be drawn completely. */
const drawingMs = 300
/** How long a dialog may be shown after it was answered. */
const closingMs = 5_000
/** How long surfaces keep an ask whose dialog is gone, while its outcome is being determined. */
const evidenceMs = 2_000
/**
 * How long the agent's own records may lag behind the end of its turn. A busy machine has needed more than ten seconds.
 * The check for a contradiction takes longer, since nothing waits for it.
 */
const lagMs = { closing: 5_000, verifying: 60_000 }
/** How often the records are read: at first, and later. */
const lookMs = { soon: 100, later: 1_000 }
/** How long a delivered answer is compared with what the agent does. */
const verifyMs = 600_000

/** How a waiting hook is found: the one of a new dialog, which may come a moment later, or one that waits already. */
export interface HookFinder {
  soon(shown: ShownAsk): Promise<HookReply | undefined>
  now(shown: ShownAsk): HookReply | undefined
}

/** A request whose outcome is looked for in the agent's own records. */
interface WatchedAsk {
  readonly key: SessionKey
  readonly id: string
  readonly watch: AskWatch
  readonly shown: Pick<ShownAsk, 'kind'>
  readonly reply?: HookReply | undefined
}

interface OpenAsk extends WatchedAsk {
  ask: Ask
  shown: ShownAsk
  reply: HookReply | undefined
}

/** Turns the dialogs of a screen into asks, and delivers their answers to the screen. */
export class TerminalAsks {
  readonly #ledger: Pick<Ledger, 'asks' | 'calls' | 'read'>
  readonly #approvals: Approvals
  readonly #record: LiveRecord
  readonly #terminal: Terminal
  readonly #outcomes: AskOutcomes
  /** Asks whose dialog is gone and whose outcome is not recorded yet. */
  readonly #closing = new Map<WatchedAsk, Promise<void>>()
  #open: OpenAsk | undefined
  /** The ask whose answer is being delivered: if its dialog closes now, the answer closed it. */
  #carrying: string | undefined
  #seen: Promise<void> = Promise.resolve()
  /** Finds hooks of the agent that wait for an answer. */
  hook: HookFinder | undefined
  /** Called when an answer was delivered and the screen after it was read. */
  carried: (() => void) | undefined
  /** Aborts when the session is detached: outcomes are not determined any longer. */
  readonly #signal: AbortSignal

  constructor(
    ledger: Pick<Ledger, 'asks' | 'calls' | 'read'>,
    approvals: Approvals,
    parts: { readonly record: LiveRecord; readonly terminal: Terminal; readonly signal?: AbortSignal },
  ) {
    this.#ledger = ledger
    this.#approvals = approvals
    this.#record = parts.record
    this.#terminal = parts.terminal
    this.#signal = parts.signal ?? new AbortController().signal
    this.#outcomes = new AskOutcomes(ledger, () => ({
      agent: this.#record.agent,
      session: this.#record.session,
    }))
  }

  get open(): boolean {
    return this.#open !== undefined
  }

  /**
   * Continues with the asks that an earlier server left. The one that is still shown is asked again; the others were
   * answered or withdrawn meanwhile.
   */
  async begin(now: TerminalNow): Promise<void> {
    const { id } = this.#record
    await Promise.all(this.#closing.values())
    if (this.#open && now.state === 'exited') await this.#close(this.#open)
    for (const { ask, ...key } of await findPending(this.#ledger, this.#record)) {
      // Its hook no longer waits, so the ask is opened again as it is shown.
      if (now.ask && !this.#open && ask.id.startsWith(getPrefix(id, now.ask)))
        await this.#put(key, ask.id, now.ask)
      else if (this.#open?.id === ask.id) continue
      else if (now.state === 'exited') await this.#approvals.settle(key, ask.id, { by: 'cancel' })
      else await this.#closeLeft(key, ask)
    }
  }

  async #closeLeft(key: SessionKey, ask: Ask): Promise<void> {
    const { tool, input } = ask
    const call = tool === undefined || input === undefined ? undefined : { tool, input }
    const since = await findAskTime(this.#ledger, key, ask)
    const watch = this.#outcomes.watch(
      since ?? Date.now(),
      () => ask,
      () => call,
    )
    const left = { key, id: ask.id, shown: ask, watch }
    this.#inBackground(left, this.#close(left))
  }

  /** Reads the screen. Calls run one after the other. */
  see(): Promise<void> {
    // Reads the screen when this call runs, not when it was made.
    const seen = this.#seen.then(() => this.#see(this.#terminal.now))
    this.#seen = seen.catch(() => {})
    return seen
  }

  async #see(now: TerminalNow): Promise<void> {
    // The screen is read again after the answer.
    if (this.#carrying !== undefined) return
    const open = this.#open
    let shown = now.ask
    if (open) {
      const outcome = shown && (await this.#findOutcome(open))
      if (outcome !== undefined) {
        await this.#finish(open, outcome)
        // A dialog that is still shown after the result is not closed yet, or is the next request with the same text.
        await this.#waitClosed(open)
        shown = this.#terminal.now.ask
      } else if (shown && this.#isSame(open, shown)) return this.#redraw(open, shown)
      else {
        for (let waited = 0, seen = now; waited < getDoubt(seen); waited += doubtMs.step) {
          await sleep(doubtMs.step)
          seen = await this.#terminal.refresh()
          shown = seen.ask
          if (this.#open !== open || this.#carrying !== undefined) return
          if (shown && this.#isSame(open, shown)) return this.#redraw(open, shown)
        }
        this.#vanish(open)
      }
    }
    if (!shown || this.#open) return
    shown = await this.#drawn(shown)
    if (!shown || this.#open) return
    const { agent, session, id } = this.#record
    const unique = randomBytes(4).toString('hex')
    await this.#put({ agent, session }, `${getPrefix(id, shown)}${unique}`, shown)
  }

  /** The exact call of a hook identifies a dialog better than its text, which may be drawn in pieces. */
  #isSame({ shown, reply }: OpenAsk, other: ShownAsk): boolean {
    if (shown.digest === other.digest || isSameDialog(shown, other)) return true
    return reply !== undefined && other.kind === 'permission' && scoreCall(other, reply.more) > 0
  }

  /** The same dialog in another shape, or with a hook that has arrived since: the ask keeps its id. */
  async #redraw(open: OpenAsk, shown: ShownAsk): Promise<void> {
    open.reply ??= this.hook?.now(shown)
    open.shown = shown
    const ask = toAsk(open.id, shown, open.reply)
    if (ask.digest === open.ask.digest) return
    open.ask = ask
    await this.#openAsk(open)
  }

  /** A dialog is complete when two reads in a row are equal. */
  async #drawn(first: ShownAsk): Promise<ShownAsk | undefined> {
    let shown: ShownAsk | undefined = first
    for (let waited = 0; shown && waited < drawingMs; waited += doubtMs.step) {
      await sleep(doubtMs.step)
      const next: ShownAsk | undefined = (await this.#terminal.refresh()).ask
      if (next?.body && next.digest === shown.digest) return next
      shown = next
    }
    return shown
  }

  async #put(key: SessionKey, id: string, first: ShownAsk): Promise<void> {
    const since = Date.now()
    const reply = await this.hook?.soon(first)
    let shown = first
    if (this.hook) {
      // While waiting for the hook, the dialog may have been answered or redrawn.
      const now = this.#terminal.now.ask
      const isSame = now && (isSameDialog(first, now) || (reply && scoreCall(now, reply.more) > 0))
      if (!now || !isSame) return reply?.unclaim()
      shown = now
    }
    const open: OpenAsk = {
      key,
      id,
      shown,
      reply,
      ask: toAsk(id, shown, reply),
      watch: this.#outcomes.watch(
        since,
        () => open.shown,
        () => open.reply?.more,
      ),
    }
    this.#open = open
    try {
      await this.#openAsk(open)
    } catch (error) {
      // The ask is not stored, so the next read has to open it.
      if (this.#open === open) this.#open = undefined
      reply?.unclaim()
      open.watch.end()
      throw error
    }
  }

  #openAsk(open: OpenAsk): Promise<void> {
    const refresh = async (): Promise<void> => {
      await this.#terminal.refresh()
      await this.see()
    }
    const effect = (answer: Answer) => this.#carry(open, answer)
    return this.#approvals.open(open.key, open.ask, effect, { refresh, redrawn: true })
  }

  async #carry(open: OpenAsk, answer: Answer): Promise<'done' | 'gone'> {
    // Its dialog is gone: a key or a hook would answer something else.
    if (this.#open !== open) return 'gone'
    this.#carrying = open.id
    const { reply, shown } = open
    try {
      const { option, text } = answer
      const meant = shown.options.find(({ id }) => id === option)?.effect
      // The hook needs no key. Options that last longer than this call exist in the dialog only. A person's denial is a key:
      // a denial by hook that comes after a key interrupts the call, which Claude then records as rejected although it ran.
      const isForHook = meant === 'allow' || (meant === 'deny' && answer.by === 'policy')
      if (
        reply &&
        text === undefined &&
        isForHook &&
        (await this.#answerHook(open, answer, meant)) === 'done'
      )
        return 'done'
      // A rule has decided about the call of the hook. Only a person can tell whether the dialog is about the same call.
      if (reply && answer.by === 'policy') return 'gone'
      const carried = await this.#terminal.answer(shown.digest, {
        ...(option === undefined ? {} : { option }),
        ...(text === undefined ? {} : { text }),
      })
      if (carried === 'done') this.#verify(open, answer, meant)
      // A dialog that is redrawn in another size is still open as long as its hook waits.
      else if (meant === 'deny') return await this.#answerHook(open, answer, meant)
      return carried
    } finally {
      reply?.end()
      this.#carrying = undefined
      // The dialog shown now is another request, even if it has the same text.
      if (this.#open === open) this.#open = undefined
      void this.see().then(
        () => this.carried?.(),
        () => this.carried?.(),
      )
    }
  }

  async #answerHook(open: OpenAsk, answer: Answer, effect: 'allow' | 'deny'): Promise<'done' | 'gone'> {
    if ((await open.reply?.answer(effect)) !== 'done') return 'gone'
    await this.#waitClosed(open)
    this.#verify(open, answer, effect)
    return 'done'
  }

  /** Waits until an answered dialog is closed: otherwise it would be taken for a new one. */
  async #waitClosed(open: OpenAsk): Promise<void> {
    const end = performance.now() + closingMs
    const isShown = async (): Promise<boolean> => {
      const { ask } = await this.#terminal.refresh()
      if (ask === undefined || !isSameDialog(open.shown, ask)) return false
      // A hook of its own makes an equal dialog a new request.
      const reply = this.hook?.now(ask)
      reply?.unclaim()
      return reply === undefined
    }
    while (performance.now() < end && (await isShown().catch(() => false))) await sleep(50)
  }

  /** A key on the agent's own keyboard may have been faster than the answer that we delivered. */
  #verify(open: OpenAsk, answer: Answer, meant: string | undefined): void {
    const check = async (): Promise<void> => {
      const outcome = await this.#waitOutcome(open, verifyMs, lagMs.verifying)
      const wanted = meant?.startsWith('allow') ? 'allow' : meant?.startsWith('deny') ? 'deny' : undefined
      if (outcome !== undefined && wanted !== undefined && outcome !== wanted)
        await this.#approvals.contradict(open.key, open.ask, answer)
    }
    this.#inBackground(open, check())
  }

  /** The dialog is gone, and not because of an answer by Remora. */
  #vanish(open: OpenAsk): void {
    if (this.#open === open) this.#open = undefined
    open.reply?.end()
    this.#inBackground(open, this.#close(open))
  }

  async #close(open: WatchedAsk): Promise<void> {
    // Only tool calls leave a record of their outcome.
    if (open.shown.kind !== 'permission') return this.#finish(open, undefined)
    let outcome = await this.#waitOutcome(open, evidenceMs)
    if (outcome === undefined && !this.#signal.aborted) {
      await this.#approvals.leave(open.key, open.id)
      outcome = await this.#waitOutcome(open, Number.POSITIVE_INFINITY)
    }
    // A server that follows finds the ask in the ledger and settles it.
    if (!this.#signal.aborted || this.#terminal.now.state === 'exited') await this.#finish(open, outcome)
  }

  /** Records what is known: a result or a denial of the agent, or that the request was withdrawn. */
  async #finish(open: WatchedAsk, outcome: Outcome | undefined): Promise<void> {
    if (this.#open === open) this.#open = undefined
    open.reply?.end()
    open.watch.end()
    const how =
      outcome === undefined ? { by: 'cancel' as const } : { by: 'terminal' as const, inferred: outcome }
    await this.#approvals.settle(open.key, open.id, how)
  }

  /** Until the outcome is known, or the agent's turn has been over for a while. */
  async #waitOutcome(open: WatchedAsk, mostMs: number, lag = lagMs.closing): Promise<Outcome | undefined> {
    const start = performance.now()
    const end = start + mostMs
    let idleSince: number | undefined
    for (;;) {
      const outcome = await this.#findOutcome(open)
      const now = performance.now()
      const { state } = this.#terminal.now
      if (state === 'idle' || state === 'error' || state === 'exited') idleSince ??= now
      else idleSince = undefined
      const isOver = idleSince !== undefined && now - idleSince >= lag
      if (outcome !== undefined || isOver || now >= end || this.#signal.aborted) return outcome
      const step = now - start < evidenceMs ? lookMs.soon : lookMs.later
      await sleep(step, undefined, { ref: false, signal: this.#signal }).catch(() => {})
    }
  }

  async #findOutcome(open: WatchedAsk): Promise<Outcome | undefined> {
    return open.shown.kind === 'permission' ? open.watch.find().catch(() => undefined) : undefined
  }

  #inBackground(open: WatchedAsk, work: Promise<void>): void {
    const done = work
      .catch(() => {})
      .finally(() => {
        open.watch.end()
        this.#closing.delete(open)
      })
    this.#closing.set(open, done)
  }
}

/** The pending asks of a live session, also if its conversation has a new id. */
export async function findPending(
  ledger: Pick<Ledger, 'asks'>,
  { id, agent }: Pick<LiveRecord, 'id' | 'agent'>,
): Promise<(SessionKey & { readonly ask: Ask })[]> {
  const all = await ledger.asks.pending()
  return all.filter((each) => each.agent === agent && each.ask.id.startsWith(`${id}/ask/`))
}

/** When an ask was opened, by its event in the ledger. */
async function findAskTime(
  ledger: Pick<Ledger, 'read'>,
  session: SessionKey,
  { id }: Ask,
): Promise<number | undefined> {
  for (let after: Cursor | undefined; ;) {
    const page = await ledger.read({ session, ...(after ? { after } : {}), limit: 1000 })
    // A redrawn dialog has the same id: the first event is its beginning.
    for (const { event } of page.events) if (event.type === 'ask' && event.entity === id) return event.at
    if (page.events.length === 0) return undefined
    after = page.cursor
  }
}

/**
 * How long a dialog may still be open although one reading did not show it: the agent redraws its screen, as it does when the
 * window is resized. An input line, or another dialog with a text, leaves no doubt.
 */
function getDoubt({ state, ask, input }: TerminalNow): number {
  if (state === 'exited' || input !== undefined || ask?.body) return 0
  return state === 'working' ? doubtMs.working : doubtMs.most
}

/** The same dialog has the same prefix, also for a server that starts later. */
function getPrefix(live: string, { digest }: ShownAsk): string {
  return `${live}/ask/${digest.slice(0, 8)}-`
}

/**
 * The call of a hook replaces the text of the screen. The digest of such an ask covers the exact call and the options:
 * they are what is approved, and they stay the same however the dialog is drawn.
 */
function toAsk(id: string, shown: ShownAsk, reply: HookReply | undefined): Ask {
  const { kind, title, body, tool, input, options, freeText, digest } = shown
  const ask: Ask = {
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
  if (!reply) return ask
  const exact = JSON.stringify([reply.more, ask.options])
  return { ...ask, ...reply.more, digest: hash('sha256', exact).slice(0, 32) }
}
