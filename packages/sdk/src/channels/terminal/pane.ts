import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Screen, TerminalPart } from '../../contract/agent.ts'
import type { Captured, PaneFacts } from './capture.ts'
import { connectDriver } from './connect-driver.ts'
import { isAlive } from './process-list.ts'
import { Latest } from './latest.ts'
import { OutputTaps } from './output-taps.ts'
import { PaneScreen } from './pane-screen.ts'
import { readScreen, getTerminalPart } from './reading.ts'
import { Restarts } from './restarts.ts'
import { Stall } from './stall.ts'
import type { TerminalDriver } from './terminal-driver.ts'
import type { PaneAddress, TerminalNow } from './terminal.ts'

// A program draws in several pieces: the screen is read after a quiet moment, but at the latest after `latestMs`.
const quietMs = 30
const latestMs = 100

/** How many bytes may wait to be drawn before reading stops, and at which it resumes. */
const highWater = 1024 * 1024
const lowWater = 128 * 1024

/** How often to check that the program still runs: tmux does not report the end of a program in a pane that stays. */
const aliveMs = 250

/** How long tmux may take to get the exit status of a program. */
const statusMs = 3_000

/** After how long a missing process counts as exited although tmux does not report it; soon if we ended it. */
const goneMs = { ended: 400, usual: 8_000 }

/** Delays before reconnecting to a tmux that disconnected us. */
const reconnectMs = [0, 50, 250, 1_000]

/**
 * How long an agent may take to draw its screen again after its window was resized. Output that arrives earlier than `own`
 * may have been written before that, so it counts only after `early`.
 */
const redrawMs = { own: 200, early: 1_000, most: 10_000 }

/** The agent in the pane, if it is not the pane's own process. */
export interface Inhabitant {
  readonly pid: number
  readonly startTime: string
}

/** Watches a pane: its screen and the state of its agent. */
export class Pane {
  readonly agent: Agent
  readonly part: TerminalPart
  readonly address: PaneAddress
  readonly inhabitant: Inhabitant | undefined
  readonly latest = new Latest<TerminalNow>({ state: 'starting' })
  readonly taps: OutputTaps
  facts!: PaneFacts
  /** When the last output came, by `performance.now()`. */
  lastOutputAt = 0
  #driver!: TerminalDriver
  #screen!: PaneScreen
  #seeded = false
  #closed = false
  #backlog = 0
  #firstOutputAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #alive: NodeJS.Timeout | undefined
  #connecting: Promise<void> | undefined
  #deadSince: number | undefined
  /** The screen when the program had ended. */
  #lastScreen: Screen | undefined
  #goneSince: number | undefined
  #columns: number | undefined
  /** When tmux last reported a layout change, and when the width of our pane changed. */
  #layoutAt: number | undefined
  #resizedAt = 0
  #isEnding = false
  #checking = false
  #checkAgain = false
  readonly #restarts: Restarts
  readonly #stall: Stall

  private constructor(agent: Agent, address: PaneAddress, inhabitant: Inhabitant | undefined) {
    this.agent = agent
    this.part = getTerminalPart(agent)
    this.address = address
    this.inhabitant = inhabitant
    this.taps = new OutputTaps(() => this.serialized())
    const again = () => this.#driver.restart()
    this.#restarts = new Restarts(this.part.restartExitCode, again, () => this.#check())
    const replace = () => this.#restarts.replace(this.facts)
    this.#stall = new Stall(agent, replace, () => this.#check())
  }

  static async open(agent: Agent, address: PaneAddress, inhabitant?: Inhabitant): Promise<Pane> {
    const pane = new Pane(agent, address, inhabitant)
    await pane.#connect()
    pane.#alive = setInterval(() => pane.#checkAlive(), aliveMs).unref()
    return pane
  }

  /** Acts on the terminal. Never retried, since a lost key is better than a key pressed twice. */
  async act<T>(action: (driver: TerminalDriver) => Promise<T>): Promise<T> {
    await this.#connecting
    if (this.exited) throw this.ended()
    return action(this.#driver)
  }

  /** Removes the terminal that Remora started, after its agent has ended. */
  remove(): Promise<void> {
    return this.#driver.remove()
  }

  /** The error of every action after the agent has ended. */
  ended(cause?: unknown): RemoraError {
    return new RemoraError('not_found', `${this.agent.title} has ended`, cause === undefined ? {} : { cause })
  }

  /** Called before the agent is ended: its exit status does not matter then. */
  expectExit(): void {
    this.#isEnding = true
  }

  /** Waits until it is known whether the pane ended with its client. */
  async settled(): Promise<void> {
    await this.#connecting
  }

  get now(): TerminalNow {
    return this.latest.value
  }

  /**
   * Whether the agent has not drawn its screen since the width of its window changed. tmux wraps the old rows to the new
   * width, so a dialog may look like another one until then.
   */
  get isRedrawing(): boolean {
    const sinceResize = performance.now() - this.#resizedAt
    const outputAfter = this.lastOutputAt - this.#resizedAt
    if (this.#resizedAt === 0 || outputAfter >= redrawMs.own) return false
    return sinceResize < (outputAfter > 0 ? redrawMs.early : redrawMs.most)
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

  /** Captures the pane. Undefined if it has ended. */
  async look(): Promise<Captured | undefined> {
    await this.#connecting
    if (this.#closed || this.exited) return undefined
    const driver = this.#driver
    const captured = await this.#capture(driver).catch(async (error: unknown) => {
      if (!driver.isOver) throw error
      // The client was disconnected, which says nothing about the pane.
      await driver.ended
      await this.#connecting
      return this.#closed || this.exited ? undefined : this.#capture(this.#driver)
    })
    if (this.#closed || this.exited) return undefined
    if (!captured) this.#exit()
    return captured
  }

  /** Captures the pane until the agent has drawn it in its current width. */
  async lookDrawn(): Promise<void> {
    for (;;) {
      await this.look()
      if (this.#closed || !this.isRedrawing) return
      await sleep(60)
    }
  }

  /** Waits until nothing was drawn for `forMs`, but at most `withinMs`. */
  async quiet(forMs: number, withinMs: number): Promise<void> {
    const end = performance.now() + withinMs
    for (;;) {
      const left = Math.min(this.lastOutputAt + forMs, end) - performance.now()
      if (left <= 0) return
      await sleep(left)
    }
  }

  /** Waits until the state is as wanted; false after a timeout. */
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
      // Changes are normally pushed; the capture catches those that were missed.
      if (!(await this.latest.changed(Math.min(left, 250)))) await this.look()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#release()
    await this.#driver.close()
    this.#screen.dispose()
  }

  async #connect(): Promise<void> {
    const driver = await connectDriver(this.address, {
      output: (bytes) => this.#receive(bytes),
      dropped: () => void this.#seed(true).catch(() => {}),
      resized: () => {
        this.#layoutAt = performance.now()
        this.#seed().then(
          (captured) => captured ?? this.#exit(),
          () => {},
        )
      },
      changed: () => this.#check(),
    })
    // The pane was closed while the client was connecting.
    if (this.#closed) return driver.close()
    this.#driver = driver
    this.#seeded = false
    const captured = await this.#seed().catch(async (error: unknown) => {
      await driver.close()
      throw error
    })
    if (!captured) {
      await driver.close()
      const { socket, pane } = this.address
      throw new RemoraError('not_found', `There is no pane ${pane} in the tmux at ${socket}`)
    }
    void driver.ended.then(() => {
      if (!this.#closed) this.#connecting = this.#reconnect()
    })
  }

  #capture(driver: TerminalDriver): Promise<Captured | undefined> {
    return driver.capture({ seen: (seen) => this.#publish(seen) })
  }

  /** Replaces the screen by a snapshot. */
  async #seed(resumes = false): Promise<Captured | undefined> {
    let drawn: Promise<void> | undefined
    const captured = await this.#driver.capture({
      resumes,
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
      this.#handleDeath(about)
    } else if (!this.exited && !this.isRedrawing)
      this.latest.set(this.#stall.mark(readScreen(this.part, screen)))
  }

  #noteWidth(columns: number): void {
    if (this.#columns !== undefined && this.#columns !== columns) {
      this.#resizedAt = this.#layoutAt ?? performance.now()
      // No further output may follow that would lead to another check.
      for (const ms of [redrawMs.early, redrawMs.most]) setTimeout(() => this.#check(), ms).unref()
    }
    this.#columns = columns
    this.#layoutAt = undefined
  }

  #receive(bytes: Buffer): void {
    // Earlier output is part of the first snapshot.
    if (!this.#seeded || this.#closed) return
    this.lastOutputAt = performance.now()
    this.#backlog += bytes.length
    if (this.#backlog > highWater) this.#driver.pause()
    this.#screen.write(bytes, () => {
      this.#backlog -= bytes.length
      if (this.#closed) return
      if (this.#backlog < lowWater) this.#driver.resume()
      this.taps.add(bytes)
      this.#schedule()
    })
  }

  #schedule(): void {
    const now = performance.now()
    this.#firstOutputAt ??= now
    clearTimeout(this.#timer)
    const wait = Math.min(quietMs, this.#firstOutputAt + latestMs - now)
    this.#timer = setTimeout(() => this.#settle(), Math.max(0, wait))
  }

  #settle(): void {
    this.#firstOutputAt = undefined
    if (this.#closed || this.exited) return
    const now = this.#stall.mark(readScreen(this.part, this.screen()))
    // An ask is read from tmux's screen, as it is when it is answered, since our emulator may use other character
    // widths.
    if (now.ask || this.now.ask) this.look().catch(() => {})
    else this.latest.set(now)
  }

  /** Captures the pane after a change that may concern it. */
  #check(): void {
    // The running capture may have missed a change that happens during it.
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
    // A tmux that does not answer must not keep a session alive whose process has ended.
    if (this.inhabitant || gone > (this.#isEnding ? goneMs.ended : goneMs.usual)) this.#exit()
    else this.#check()
  }

  /** The client ended; reconnects, unless the server ended too. */
  async #reconnect(): Promise<void> {
    for (let round = 0; ; round++) {
      await sleep(reconnectMs[round] ?? 2_000)
      if (this.#closed || this.exited) return
      try {
        await this.#connect()
        return
      } catch (error) {
        if (RemoraError.is(error) && error.code === 'not_found') break
        // Failing to start a client says nothing about the agent's process.
        if (round >= reconnectMs.length && !isAlive(this.inhabitant?.pid ?? this.facts.pid)) break
      }
    }
    this.#exit(this.#isEnding ? {} : { lost: true })
  }

  /** tmux reports a dead pane a moment before it has the exit status. */
  #handleDeath(facts: PaneFacts): void {
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
      this.#driver.checkExit()
      this.#check()
    }, 50)
  }

  #exit({ code, signal, lost }: Partial<PaneFacts> & { readonly lost?: true } = {}): void {
    if (this.exited) return
    this.latest.set({
      state: 'exited',
      exit: {
        ...(code === undefined ? {} : { code }),
        ...(signal === undefined ? {} : { signal }),
        ...(lost ? { lost } : {}),
      },
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
