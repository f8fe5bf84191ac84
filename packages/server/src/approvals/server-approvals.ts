import { setTimeout as sleep } from 'node:timers/promises'
import { AskPresence, awaitChange, isWaitedFor } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, RemoraError } from '@remora/protocol/plain'
import type {
  ApprovalChange,
  Approvals,
  Effect,
  OpenOptions,
  PendingAsk,
  SettledHow,
} from '../core/approvals.ts'
import type { Log } from '../core/log.ts'
import { AskBoard, getAskKey } from './ask-board.ts'
import { createAnswerRecord, createAskRecord, createLateAnswerRecord } from './ask-events.ts'
import { type Ruling, decideByRules } from './policies.ts'
import { PolicyFile, createPolicyAudit, getPolicyPath } from './policy-file.ts'

export interface ServerApprovalsOptions {
  readonly ledger: Ledger
  readonly log: Log
  /** The folder of all state, in which `policies.json` is; without it there are no rules. */
  readonly remoraHome?: string
  /** Aborts when the server stops. */
  readonly signal?: AbortSignal
  /** The folder in which a session works, for rules about paths. */
  readonly getCwd?: (key: SessionKey) => string | undefined
}

/** How often presence is checked and renewed, and asks are read if no change was reported. */
const refreshMs = 5000
const troubleMs = 1000
/** How many settled asks are remembered: longer than any read of the ledger takes. */
const remembered = 5000

/** Undefined if another process delivers the answer. */
type Carried = 'done' | 'gone' | undefined

interface Held extends PendingAsk {
  effect: Effect
  refresh?: OpenOptions['refresh']
}

/**
 * Settles asks through the ledger, where the first answer wins. Delivers the answers of asks that were opened here to the
 * agent, each once, also if another process gave them. Asks of other processes are only reported.
 *
 * @example const approvals = new ServerApprovals({ ledger, remoraHome, log, signal })
 */
export class ServerApprovals implements Approvals, AsyncDisposable {
  readonly #options: ServerApprovalsOptions
  readonly #presence: AskPresence
  readonly #deadlines = new Deadlines((id) => void this.#expire(id))
  readonly #board: AskBoard
  readonly #policies: PolicyFile | undefined
  /** Asks whose answer this process delivers, until it has. */
  readonly #held = new Map<string, Held>()
  /** Settled asks by id and digest, with what this process delivered. */
  readonly #over = new Map<string, Promise<Carried>>()
  /** Asks that a rule is deciding; listeners are not notified of them. */
  readonly #deciding = new Set<string>()
  readonly #effects = new Set<Promise<unknown>>()
  readonly #closed = new AbortController()
  readonly #watching: Promise<void>
  #closing: Promise<void> | undefined

  constructor(options: ServerApprovalsOptions) {
    this.#options = options
    this.#presence = new AskPresence(options.ledger)
    this.#board = new AskBoard(options.log)
    const { remoraHome, signal, ledger, log } = options
    const rules = remoraHome && getPolicyPath(remoraHome)
    if (rules) this.#policies = new PolicyFile(rules, log, createPolicyAudit(ledger, rules, log))
    this.#watching = this.#watch()
    signal?.addEventListener('abort', () => void this.close(), { once: true })
  }

  /** The error in the rules file, if there is one. No rule applies then. */
  async problem(): Promise<string | undefined> {
    await this.#policies?.load()
    return this.#policies?.problem
  }

  async pending(key?: SessionKey): Promise<PendingAsk[]> {
    // A request whose dialog is gone stays in the ledger until its outcome is known. It cannot be answered.
    const all = (await this.#options.ledger.asks.pending(key)).filter(
      (each) => !this.#over.has(getSettledKey(each, each.ask)),
    )
    const waited = await Promise.all(all.map((each) => this.#isWaitedFor(each)))
    return all.filter((_, index) => waited[index])
  }

  async open(key: SessionKey, ask: Ask, effect: Effect, options: OpenOptions = {}): Promise<void> {
    const { refresh, redrawn } = options
    const id = getAskKey(key, ask.id)
    const { ledger } = this.#options
    const before = this.#held.get(id)
    if (before?.ask.digest === ask.digest) {
      before.effect = effect
      return
    }
    await this.#presence.begin(ask.id)
    const { rule, expiresAt } = await this.#policy(key, ask)
    if (rule) this.#deciding.add(id)
    try {
      await ledger.asks.open(key, expiresAt === undefined ? ask : { ...ask, expiresAt }, { redrawn })
      const stored = await ledger.asks.find(key, ask.id)
      // A dialog that is redrawn while its answer is delivered keeps that answer.
      if (stored?.answer && stored.ask.digest !== ask.digest) return
      if (!stored || stored.ask.digest !== ask.digest)
        throw new RemoraError('conflict', `The ask ${ask.id} was replaced by another one`)
      const replaced = this.#release(id)
      this.#held.set(id, { ...key, ask: stored.ask, effect, refresh })
      if (replaced) this.#options.log('info', 'An ask was replaced', { ask: ask.id })
      await ledger.append([createAskRecord(key, stored.ask)])
      const early = this.#over.get(getSettledKey(key, stored.ask))
      if (early || stored.answer) {
        // Answered while it was being opened: without its effect the answer was recorded and not delivered.
        if ((await early) === undefined) this.#over.delete(getSettledKey(key, stored.ask))
        const answer = stored.answer ?? (await ledger.asks.find(key, ask.id))?.answer
        if (answer) this.#conclude(key, stored.ask, answer)
        return
      }
      if (rule) return this.#track(this.#decide(key, stored.ask, rule))
      this.#board.appear({ ...key, ask: stored.ask })
      if (stored.ask.expiresAt !== undefined) this.#deadlines.set(id, stored.ask.expiresAt)
    } catch (error) {
      if (this.#held.get(id)?.ask.digest !== ask.digest) await this.#presence.end(ask.id)
      throw error
    } finally {
      this.#deciding.delete(id)
    }
  }

  async leave(key: SessionKey, id: string): Promise<void> {
    const found = await this.#options.ledger.asks.find(key, id)
    if (!found || found.answer) return
    const { ask } = found
    if (this.#release(getAskKey(key, id), ask.digest))
      this.#over.set(getSettledKey(key, ask), Promise.resolve(undefined))
    this.#board.disappear(key, ask, { ask: id, by: 'cancel', digest: ask.digest })
  }

  async contradict(key: SessionKey, ask: Ask, answer: Answer): Promise<void> {
    await this.#gone(key, ask, answer, 'The agent did the opposite: another answer was faster')
  }

  async settle(key: SessionKey, ask: string, how: SettledHow): Promise<void> {
    const found = await this.#options.ledger.asks.find(key, ask)
    if (!found) return
    const name = getSettledKey(key, found.ask)
    // Removed at once, so that no answer is delivered to it.
    const held = this.#release(getAskKey(key, ask), found.ask.digest)
    const left = !held && this.#over.has(name)
    const settling = this.#settle(key, found.ask, how, held !== undefined, left)
    if (held) this.#over.set(name, settling)
    await settling
  }

  async #settle(key: SessionKey, ask: Ask, how: SettledHow, held: boolean, left: boolean): Promise<Carried> {
    const wanted = { ask: ask.id, ...how, digest: ask.digest }
    const { won, answer } = await this.#options.ledger.asks.answer(key, wanted)
    this.#board.disappear(key, ask, answer)
    // Clients were notified of a withdrawal, which is recorded if no outcome was found.
    if (won && left && how.inferred !== undefined) this.#board.emit({ type: 'settled', ...key, answer })
    if (!won && !held) return undefined
    await this.#record(key, ask, answer)
    if (won) return 'done'
    // The ledger has an answer that was never delivered, and now it is too late.
    await this.#gone(key, ask, answer)
    return 'gone'
  }

  async answer(
    key: SessionKey,
    answer: Answer,
  ): Promise<{ readonly won: boolean; readonly answer: Answer; readonly effect?: 'done' | 'gone' }> {
    const { ledger } = this.#options
    await this.#held
      .get(getAskKey(key, answer.ask))
      ?.refresh?.()
      .catch((error: unknown) => this.#logError('Cannot refresh a request', error))
    const found = await ledger.asks.find(key, answer.ask)
    if (!found)
      throw new RemoraError('not_found', `There is no ask ${answer.ask} in ${key.agent} ${key.session}`)
    checkAnswer(found.ask, answer)
    if (!found.answer)
      await expectListener(ledger, { ...key, ask: found.ask }, (each) => this.#isWaitedFor(each))
    const decided = await ledger.asks.answer(key, answer)
    if (!decided.won) return decided
    const effect = await this.#carry(key, found.ask, answer)
    return effect === undefined ? decided : { ...decided, effect }
  }

  on(listener: (change: ApprovalChange) => void): () => void {
    return this.#board.on(listener)
  }

  /** Leaves asks open for the next server process. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#closed.abort()
    this.#deadlines.clear()
    await this.#watching
    await Promise.all(this.#effects)
    await Promise.all([...this.#held.values()].map(({ ask }) => this.#presence.end(ask.id)))
    this.#held.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #policy(key: SessionKey, ask: Ask): Promise<Ruling> {
    const policies = await this.#policies?.load()
    if (!policies) return {}
    try {
      const cwd = this.#options.getCwd?.(key) ?? (await this.#options.ledger.session(key))?.cwd
      return await decideByRules(policies, ask, { ...key, ...(cwd === undefined ? {} : { cwd }) })
    } catch (error) {
      this.#logError('Cannot apply the rules to an ask, which now waits for a person', error)
      return {}
    }
  }

  /** Answers by rule or timeout, and delivers the answer. Never rejects. */
  async #decide(key: SessionKey, ask: Ask, how: Omit<Answer, 'ask' | 'digest'>): Promise<void> {
    try {
      const wanted: Answer = { ask: ask.id, ...how, digest: ask.digest }
      const { answer } = await this.#options.ledger.asks.answer(key, wanted)
      await this.#carry(key, ask, answer)
    } catch (error) {
      this.#logError('Cannot decide an ask', error)
    }
  }

  async #expire(id: string): Promise<void> {
    const held = this.#held.get(id)
    // A timeout denies, if the ask has an option to deny.
    const no = held?.ask.options.find(({ effect }) => effect === 'deny')
    if (held && no && held.ask.kind === 'permission')
      await this.#decide(held, held.ask, { option: no.id, by: 'timeout' })
  }

  /** Delivers an answer of the ledger, if this process has to. */
  #conclude(key: SessionKey, ask: Ask, answer: Answer): void {
    const carrying = this.#carry(key, ask, answer).catch((error: unknown) =>
      this.#logError('Cannot record an answer', error),
    )
    this.#track(carrying)
  }

  /** Delivers once for each ask; a second caller gets the same result. */
  #carry(key: SessionKey, ask: Ask, answer: Answer): Promise<Carried> {
    const name = getSettledKey(key, ask)
    let carrying = this.#over.get(name)
    if (!carrying) {
      carrying = this.#effect(key, ask, answer, this.#release(getAskKey(key, ask.id), ask.digest))
      this.#over.set(name, carrying)
    }
    this.#board.disappear(key, ask, answer)
    return carrying
  }

  async #effect(key: SessionKey, ask: Ask, answer: Answer, held: Held | undefined): Promise<Carried> {
    if (!held) return undefined
    // A withdrawal is not an answer, so nothing is delivered.
    const decided = answer.option !== undefined || answer.text !== undefined
    const carrying = decided ? attempt(held.effect, answer) : undefined
    // The agent gets the answer before the event is stored.
    await this.#record(key, ask, answer)
    const { effect = 'done', why } = (await carrying) ?? {}
    if (effect === 'gone') await this.#gone(key, ask, answer, why)
    return effect
  }

  async #gone({ agent, session }: SessionKey, ask: Ask, answer: Answer, why?: string): Promise<void> {
    const { ledger } = this.#options
    const detail = { ask: ask.id, digest: ask.digest, title: ask.title, answer, why }
    this.#options.log('warn', 'An answer was not delivered: the agent no longer asks', { ask: ask.id, why })
    await ledger.audit.append({ what: 'not carried', who: 'server', agent, session, detail })
    await ledger.append([createLateAnswerRecord({ agent, session }, ask)])
    this.#board.emit({ type: 'settled', agent, session, answer, effect: 'gone' })
  }

  async #record({ agent, session }: SessionKey, ask: Ask, answer: Answer): Promise<void> {
    await this.#options.ledger.append([createAnswerRecord({ agent, session }, ask, answer)])
  }

  #track(work: Promise<unknown>): void {
    this.#effects.add(work)
    void work.finally(() => this.#effects.delete(work))
  }

  #release(id: string, digest?: string): Held | undefined {
    const held = this.#held.get(id)
    if (!held || (digest !== undefined && held.ask.digest !== digest)) return undefined
    this.#held.delete(id)
    this.#deadlines.delete(id)
    void this.#presence.end(held.ask.id)
    return held
  }

  /** Follows asks and answers of other processes. */
  async #watch(): Promise<void> {
    const { signal } = this.#closed
    let refreshed = 0
    while (!signal.aborted) {
      const changed = awaitChange(this.#options.ledger, refreshMs, signal)
      try {
        const thorough = Date.now() - refreshed >= refreshMs - 100
        if (thorough) refreshed = Date.now()
        await this.#refresh(thorough)
      } catch (error) {
        if (signal.aborted) break
        this.#logError('Cannot read asks from the ledger', error)
        await sleep(troubleMs, undefined, { signal }).catch(() => {})
      }
      await changed
    }
  }

  async #refresh(thorough: boolean): Promise<void> {
    const { ledger } = this.#options
    // New rules are audited when they are saved, not only when one decides.
    if (thorough) await this.#policies?.load()
    const pending = await ledger.asks.pending()
    const open = new Map(pending.map((each) => [getAskKey(each, each.ask.id), each]))
    for (const [id, { ask, agent, session }] of new Map([...this.#board.entries(), ...this.#held])) {
      if (open.get(id)?.ask.digest === ask.digest) continue
      const found = await ledger.asks.find({ agent, session }, ask.id)
      // An ask without an answer that is no longer pending was deleted or replaced.
      const same = found?.ask.digest === ask.digest ? found.answer : undefined
      if (found && !same && found.ask.digest === ask.digest) continue
      this.#conclude({ agent, session }, ask, same ?? { ask: ask.id, by: 'cancel', digest: ask.digest })
    }
    for (const [id, each] of open) {
      const known = this.#board.has(each, each.ask)
      if (known ? !thorough : this.#over.has(getSettledKey(each, each.ask)) || this.#deciding.has(id))
        continue
      if (this.#held.has(id)) await this.#presence.renew(each.ask.id)
      const waited = await this.#isWaitedFor(each)
      if (!known && waited && !this.#over.has(getSettledKey(each, each.ask))) this.#board.appear(each)
      const { agent, session, ask } = each
      // The process may come back after a sleep, so the ledger is not changed.
      if (known && !waited)
        this.#board.disappear({ agent, session }, ask, { ask: ask.id, by: 'cancel', digest: ask.digest })
    }
    this.#forgetOld()
  }

  async #isWaitedFor({ agent, session, ask }: PendingAsk): Promise<boolean> {
    return this.#held.has(getAskKey({ agent, session }, ask.id)) || isWaitedFor(this.#options.ledger, ask.id)
  }

  #forgetOld(): void {
    for (const name of this.#over.keys()) {
      if (this.#over.size <= remembered) break
      this.#over.delete(name)
    }
  }

  #logError(message: string, error: unknown): void {
    this.#options.log('error', message, { error: error instanceof Error ? error.message : String(error) })
  }
}

function getSettledKey(key: SessionKey, ask: Ask): string {
  return `${getAskKey(key, ask.id)} ${ask.digest}`
}

async function attempt(effect: Effect, answer: Answer): Promise<{ effect: 'done' | 'gone'; why?: string }> {
  try {
    return { effect: await effect(answer) }
  } catch (error) {
    return { effect: 'gone', why: error instanceof Error ? error.message : String(error) }
  }
}

/** The longest delay of a timer. */
const longest = 2 ** 31 - 1

/** Calls back at a time, however far away, unless it is cancelled. @example new Deadlines((id) => deny(id)) */
class Deadlines {
  readonly #due: (id: string) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(due: (id: string) => void) {
    this.#due = due
  }

  set(id: string, at: number): void {
    this.delete(id)
    const left = at - Date.now()
    const next = (): void => {
      if (Date.now() < at) return this.set(id, at)
      this.#timers.delete(id)
      this.#due(id)
    }
    this.#timers.set(id, setTimeout(next, Math.min(Math.max(0, left), longest)).unref())
  }

  delete(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  clear(): void {
    for (const id of this.#timers.keys()) this.delete(id)
  }
}

/** Throws if the answer does not fit the ask. @example checkAnswer(ask, answer) */
function checkAnswer(ask: Ask, { digest, option, text }: Answer): void {
  if (digest !== ask.digest)
    throw new RemoraError('conflict', `The ask ${ask.id} has changed since it was shown`, {
      hint: 'Read it again, then answer.',
    })
  const hint = `Options: ${ask.options.map(({ id }) => id).join(', ')}${ask.freeText ? ', or text' : ''}`
  if (option !== undefined && !ask.options.some(({ id }) => id === option))
    throw new RemoraError('usage', `This ask has no option "${option}"`, { hint })
  if (text !== undefined && ask.freeText !== true)
    throw new RemoraError('usage', 'This ask does not accept text', { hint })
  if (option === undefined && text === undefined)
    throw new RemoraError('usage', 'An answer needs an option', { hint })
}

/** How long an answer waits for the process that asked. */
const listenerMs = 3000

/**
 * Throws `conflict` if no process waits for the answer. After a server start it waits for the process that asked. An ask
 * that another client answers meanwhile needs no such process: the caller gets that answer.
 */
async function expectListener(
  ledger: Pick<Ledger, 'asks'>,
  asked: PendingAsk,
  isWaitedFor: (asked: PendingAsk) => Promise<boolean>,
): Promise<void> {
  const { ask } = asked
  const end = performance.now() + listenerMs
  while (!(await isWaitedFor(asked)) && !(await ledger.asks.find(asked, ask.id))?.answer) {
    if (performance.now() > end)
      throw new RemoraError('conflict', `No process is waiting for an answer to ${ask.id}`, {
        hint: 'List pending asks: remora asks',
      })
    await sleep(50)
  }
}
