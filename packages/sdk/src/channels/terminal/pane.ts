import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Screen, TerminalPart } from '../../contract/agent.ts'
import { type Captured, type PaneFacts, capture } from './capture.ts'
import { type Batch, ControlClient } from './control-client.ts'
import { isAlive } from './is-alive.ts'
import { Latest } from './latest.ts'
import { OutputTaps } from './output-taps.ts'
import {
  aliveMs,
  backMs,
  goneMs,
  highWater,
  latestMs,
  lowWater,
  quietMs,
  redrawMs,
  statusMs,
} from './pane-limits.ts'
import { PaneScreen } from './pane-screen.ts'
import { readScreen, terminalPart } from './reading.ts'
import { Restarts } from './restarts.ts'
import { Stall } from './stall.ts'
import type { PaneAddress, TerminalNow } from './terminal.ts'
import { windowNotices } from './window-notices.ts'

/** The program in the pane, where it is not the pane's own process. */
export interface Inhabitant {
  readonly pid: number
  readonly startTime: string
}

/** A pane that we watch: its screen, and what the agent on it does. */
export class Pane {
  readonly agent: Agent
  readonly part: TerminalPart
  readonly address: PaneAddress
  readonly inhabitant: Inhabitant | undefined
  readonly latest = new Latest<TerminalNow>({ state: 'starting' })
  readonly taps: OutputTaps
  facts!: PaneFacts
  /** When the pane wrote last, by `performance.now()`. */
  heardAt = 0
  #client!: ControlClient
  #screen!: PaneScreen
  #session = ''
  #seeded = false
  #closed = false
  #backlog = 0
  #firstHeard: number | undefined
  #timer: NodeJS.Timeout | undefined
  #alive: NodeJS.Timeout | undefined
  #connecting: Promise<void> | undefined
  #deadSince: number | undefined
  /** What tmux showed when the program had ended. */
  #lastScreen: Screen | undefined
  #goneSince: number | undefined
  #columns: number | undefined
  /** When tmux last reported another layout, and when our pane had another width after that. */
  #layoutAt: number | undefined
  #resizedAt = 0
  #isEnding = false
  #checking = false
  #checkAgain = false
  readonly #restarts: Restarts
  readonly #stall: Stall

  private constructor(agent: Agent, address: PaneAddress, inhabitant: Inhabitant | undefined) {
    this.agent = agent
    this.part = terminalPart(agent)
    this.address = address
    this.inhabitant = inhabitant
    this.taps = new OutputTaps(() => this.serialized())
    const again = () => this.#client.run('respawn-pane', '-k', '-t', address.pane)
    this.#restarts = new Restarts(this.part.startsAgain, again, () => this.#check())
    const replace = () => this.#restarts.replace(this.facts)
    this.#stall = new Stall(agent, replace, () => this.#check())
  }

  static async open(agent: Agent, address: PaneAddress, inhabitant?: Inhabitant): Promise<Pane> {
    const pane = new Pane(agent, address, inhabitant)
    await pane.#connect()
    pane.#alive = setInterval(() => pane.#checkAlive(), aliveMs).unref()
    return pane
  }

  /** Runs commands in tmux. Nothing is ever run a second time: keys that were lost are better than keys pressed twice. */
  async batch(batch: Batch): Promise<string[][]> {
    await this.#connecting
    if (this.exited) throw this.ended()
    return this.#client.batch(batch)
  }

  /** What to say to those who come too late. */
  ended(cause?: unknown): RemoraError {
    return new RemoraError('not_found', `${this.agent.title} has ended`, cause === undefined ? {} : { cause })
  }

  /** The program is being ended: how it exits is of no interest, only that it does. */
  expectExit(): void {
    this.#isEnding = true
  }

  /** Waits until it is clear whether the pane has gone with its client. */
  async settled(): Promise<void> {
    await this.#connecting
  }

  get now(): TerminalNow {
    return this.latest.value
  }

  /**
   * Whether the agent has written nothing since its window got another width. tmux wraps the old rows to the new width, so
   * a dialog may look like another one until the agent draws it again.
   */
  get isRedrawing(): boolean {
    return this.#resizedAt > this.heardAt && performance.now() - this.#resizedAt < redrawMs
  }

  get exited(): boolean {
    return this.now.state === 'exited'
  }

  screen(): Screen {
    // The last output may not have reached our own screen when the program has ended.
    return (this.exited && this.#lastScreen) || this.#screen.screen()
  }

  serialized(): string {
    return this.#screen.serialized()
  }

  /** Looks at the pane itself. Undefined where it has gone. */
  async look(): Promise<Captured | undefined> {
    await this.#connecting
    if (this.#closed || this.exited) return undefined
    const client = this.#client
    const captured = await this.#capture(client).catch(async (error: unknown) => {
      if (!client.over) throw error
      // We were cut off, which says nothing of the pane.
      await client.ended
      await this.#connecting
      return this.#closed || this.exited ? undefined : this.#capture(this.#client)
    })
    if (this.#closed || this.exited) return undefined
    if (!captured) this.#exit()
    // Moved to another session, of which we hear nothing: we follow it there.
    else if (captured.about.session !== this.#session) this.#client.kill()
    return captured
  }

  /** Looks at the pane until the agent has drawn it in its present width. */
  async lookDrawn(): Promise<void> {
    for (;;) {
      await this.look()
      if (this.#closed || !this.isRedrawing) return
      await sleep(60)
    }
  }

  /** Waits until nothing more is drawn, but not longer than that. */
  async quiet(forMs: number, withinMs: number): Promise<void> {
    const end = performance.now() + withinMs
    for (;;) {
      const left = Math.min(this.heardAt + forMs, end) - performance.now()
      if (left <= 0) return
      await sleep(left)
    }
  }

  /** Waits until the state is as wanted. Tells whether it came to that. */
  async until(
    wanted: (now: TerminalNow) => boolean,
    withinMs: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const end = performance.now() + withinMs
    for (;;) {
      if (wanted(this.now)) return true
      signal?.throwIfAborted()
      const left = end - performance.now()
      if (left <= 0 || this.#closed || this.exited) return false
      // What we were told is what counts; that tmux itself is asked now and then is for what was not told.
      if (!(await this.latest.changed(Math.min(left, 250)))) await this.look()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#release()
    await this.#client.close()
    this.#screen.dispose()
  }

  async #connect(): Promise<void> {
    const { socket, pane } = this.address
    const client = await ControlClient.attach({
      socket,
      target: pane,
      pane,
      onOutput: (bytes) => this.#heard(bytes),
      onNotice: (name, rest) => this.#noticed(name, rest),
    })
    // Whoever let go of the pane meanwhile knew nothing of this client.
    if (this.#closed) return client.close()
    this.#client = client
    this.#seeded = false
    const captured = await this.#seed().catch(async (error: unknown) => {
      await client.close()
      throw error
    })
    if (!captured) {
      await client.close()
      throw new RemoraError('not_found', `There is no pane ${pane} in the tmux at ${socket}`)
    }
    this.#session = captured.about.session
    void client.ended.then(() => {
      if (!this.#closed) this.#connecting = this.#lost()
    })
  }

  #capture(client: ControlClient): Promise<Captured | undefined> {
    return capture(client, this.address.pane, { seen: (seen) => this.#publish(seen) })
  }

  /** The screen begins anew with what tmux has. */
  async #seed(before?: readonly string[]): Promise<Captured | undefined> {
    let drawn: Promise<void> | undefined
    const captured = await capture(this.#client, this.address.pane, {
      ...(before ? { before } : {}),
      seen: (seen) => {
        this.#screen ??= new PaneScreen(seen.columns, seen.rows)
        this.#seeded = true
        drawn = new Promise((resolve) => this.#screen.seed(seen, resolve))
        this.#publish(seen)
      },
    })
    await drawn
    this.taps.restart()
    return captured
  }

  #publish({ screen, rowAbove = '', about, columns }: Captured): void {
    this.facts = about
    this.#noteWidth(columns)
    if (about.dead) {
      this.#lastScreen = { ...screen, lines: [rowAbove, ...screen.lines] }
      this.#died(about)
    } else if (!this.exited && !this.isRedrawing)
      this.latest.set(this.#stall.mark(readScreen(this.part, screen)))
  }

  #noteWidth(columns: number): void {
    if (this.#columns !== undefined && this.#columns !== columns) {
      this.#resizedAt = this.#layoutAt ?? performance.now()
      // An agent with nothing to draw writes nothing.
      setTimeout(() => this.#check(), redrawMs).unref()
    }
    this.#columns = columns
    this.#layoutAt = undefined
  }

  #heard(bytes: Buffer): void {
    // What came before the first look is on the screen that it showed.
    if (!this.#seeded || this.#closed) return
    this.heardAt = performance.now()
    this.#backlog += bytes.length
    if (this.#backlog > highWater) this.#client.pause()
    this.#screen.write(bytes, () => {
      this.#backlog -= bytes.length
      if (this.#closed) return
      if (this.#backlog < lowWater) this.#client.resume()
      this.taps.add(bytes)
      this.#schedule()
    })
  }

  #schedule(): void {
    const now = performance.now()
    this.#firstHeard ??= now
    clearTimeout(this.#timer)
    const wait = Math.min(quietMs, this.#firstHeard + latestMs - now)
    this.#timer = setTimeout(() => this.#settle(), Math.max(0, wait))
  }

  #settle(): void {
    this.#firstHeard = undefined
    if (this.#closed || this.exited) return
    const now = this.#stall.mark(readScreen(this.part, this.screen()))
    // What is asked is taken from tmux's own screen, as it will be when it is answered: two terminals may differ in
    // how wide they hold a character to be.
    if (now.ask || this.now.ask) this.look().catch(() => {})
    else this.latest.set(now)
  }

  #noticed(name: string, rest: string): void {
    const { pane } = this.address
    const [first] = rest.split(' ')
    if (name === 'pause' && first === pane) {
      // We were too slow, and output was left out.
      this.#seed(['refresh-client', '-A', `${pane}:continue`]).catch(() => {})
    } else if (name === 'layout-change' && first === this.facts?.window) {
      this.#layoutAt = performance.now()
      this.#seed().then(
        (captured) => captured ?? this.#exit(),
        () => {},
      )
    } else if (windowNotices.has(name)) {
      this.#check()
    }
  }

  /** Something happened to a window: was it ours? */
  #check(): void {
    // What happens while we look may have come too late to be seen.
    this.#checkAgain = this.#checking
    if (this.#checking) return
    this.#checking = true
    const done = (): void => {
      this.#checking = false
      if (this.#checkAgain && !this.#closed) this.#check()
    }
    this.look().then(done, done)
  }

  #checkAlive(): void {
    if (this.exited) return
    const pid = this.inhabitant?.pid ?? this.facts.pid
    this.#stall.see(this.now.state === 'starting', pid)
    const now = performance.now()
    this.#goneSince = isAlive(pid) ? undefined : (this.#goneSince ?? now)
    if (this.#goneSince === undefined) return
    const gone = now - this.#goneSince
    // A tmux that does not answer must not keep a session alive whose program is gone.
    if (this.inhabitant || gone > (this.#isEnding ? goneMs.ended : goneMs.usual)) this.#exit()
    else this.#check()
  }

  /** The client ended, and perhaps the server with it; if not, we come back. */
  async #lost(): Promise<void> {
    for (let round = 0; ; round++) {
      await sleep(backMs[round] ?? 2_000)
      if (this.#closed || this.exited) return
      try {
        await this.#connect()
        return
      } catch (error) {
        if (RemoraError.is(error) && error.code === 'not_found') break
        // A machine that cannot start another process now says nothing of those that run.
        if (round >= backMs.length && !isAlive(this.inhabitant?.pid ?? this.facts.pid)) break
      }
    }
    this.#exit()
  }

  /** tmux sees that a program closed its terminal a moment before it knows how it ended. */
  #died(facts: PaneFacts): void {
    if (!this.#isEnding && this.#restarts.take(facts)) {
      this.#deadSince = undefined
      this.latest.set({ state: 'starting' })
      return
    }
    this.#deadSince ??= performance.now()
    const since = performance.now() - this.#deadSince
    if (
      facts.code !== undefined ||
      facts.signal !== undefined ||
      since > (this.#isEnding ? goneMs.ended : statusMs)
    ) {
      this.#exit(facts)
      return
    }
    setTimeout(() => {
      // tmux 3.3a now and then misses the end of a child, and learns of it when another one ends.
      if (facts.run !== undefined) this.#client.run('run-shell', '-b', ':').catch(() => {})
      this.#check()
    }, 50)
  }

  #exit(facts?: PaneFacts): void {
    if (this.exited) return
    const { code, signal } = facts ?? {}
    this.latest.set({
      state: 'exited',
      exit: { ...(code === undefined ? {} : { code }), ...(signal === undefined ? {} : { signal }) },
    })
    this.#release()
  }

  #release(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#alive)
    this.latest.close()
    this.taps.close()
  }
}
