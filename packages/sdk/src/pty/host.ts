import { existsSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { type Server, type Socket, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeKey, encodePaste } from './encode-key.ts'
import { HostClient } from './host-client.ts'
import { type HostSpec, getHostFiles, writeExit } from './host-files.ts'
import { type AgentExit, PtyAgent } from './pty-agent.ts'
import { ScreenThread } from './screen-thread.ts'
import {
  type ClientMessage,
  type Hello,
  type HostFacts,
  type HostRequest,
  type HostSnapshot,
  type PtyKey,
  protocolVersion,
  readFrames,
  sendMessage,
} from './wire.ts'

/** The agent is paused while the screen model has more than this to read, so that the memory is bounded. */
const highWater = 32 * 1024 * 1024
const lowWater = 4 * 1024 * 1024

/** After this time a held keyboard is released, in case its holder hangs. */
const holdMs = 3_000

/** How long a new host waits for its first driver, which also reads why an agent ended at once. */
const firstMs = 30_000

/** How often to check that the folder of the socket exists: without it no client can reach the agent again. */
const checkMs = 2_000

/** How long an agent may take to end after its terminal was closed, and the last messages to be sent. */
const endMs = { agent: 5_000, clients: 500 }

/**
 * Owns the terminal of one agent, and serves it on a socket. Only the agent's bytes pass through its main thread; a
 * thread beside it emulates the screen.
 */
export class PtyHost {
  readonly #spec: HostSpec
  readonly #onReady: () => void
  readonly #clients = new Set<HostClient>()
  #server: Server | undefined
  #screen!: ScreenThread
  #agent!: PtyAgent
  #pid = 0
  #exit: AgentExit | undefined
  #isPaused = false
  /** Whether the first driver has still to come. */
  #isAwaited = true
  #isEnding = false
  #turn: Promise<unknown> = Promise.resolve()
  #held: { readonly by: HostClient; readonly timer: NodeJS.Timeout } | undefined
  #finish: () => void = () => {}
  readonly #finished = new Promise<void>((resolve) => (this.#finish = resolve))

  constructor(spec: HostSpec, onReady: () => void) {
    this.#spec = spec
    this.#onReady = onReady
  }

  async run(): Promise<void> {
    const { socket, columns, rows } = this.#spec
    this.#screen = await ScreenThread.start(
      { columns, rows },
      { answer: (text) => this.#answer(text), read: () => this.#regulate() },
    )
    this.#agent = await this.#start()
    await this.#listen()
    this.#onReady()
    const waiting = setTimeout(() => {
      // The server was killed in the middle of the start, and no record leads to this host.
      if (this.#isAwaited) this.end()
    }, firstMs)
    const checking = setInterval(() => {
      if (!existsSync(dirname(socket))) this.end()
      else if (!existsSync(socket)) void this.#listen().catch(() => {})
    }, checkMs)
    await this.#finished
    clearInterval(checking)
    clearTimeout(waiting)
    await this.#close()
  }

  /** Ends the agent by closing its terminal, and then the host. */
  end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#agent?.hangUp()
    if (this.#exit) this.#finish()
    else setTimeout(() => this.#finish(), endMs.agent)
  }

  get #about(): HostFacts {
    return { pid: this.#pid, run: this.#spec.run, dead: this.#exit !== undefined, ...this.#exit }
  }

  async #start(): Promise<PtyAgent> {
    let hasStarted = (): void => {}
    const started = new Promise<void>((resolve) => (hasStarted = resolve))
    const agent = await PtyAgent.start(
      { ...this.#spec, folder: getHostFiles(this.#spec.socket).pipes },
      {
        output: (bytes) => {
          for (const client of this.#clients) client.output(bytes)
          this.#screen.write(bytes)
          this.#regulate()
        },
        started: (pid) => {
          this.#pid = pid
          hasStarted()
        },
        exited: (exit) => {
          hasStarted()
          this.#exited(exit)
        },
      },
    )
    await started
    return agent
  }

  #exited(exit: AgentExit): void {
    this.#exit = exit
    this.#notify('changed')
    if (this.#isEnding || this.#isDone) this.#finish()
  }

  async #restart(): Promise<void> {
    const deadline = performance.now() + endMs.agent
    while (!this.#exit && performance.now() < deadline) await sleep(20)
    if (!this.#exit) throw new Error('The agent is still running')
    this.#exit = undefined
    this.#screen.reset()
    this.#agent = await this.#start()
    this.#notify('resized')
  }

  async #listen(): Promise<void> {
    const { socket } = this.#spec
    this.#server?.close()
    await rm(socket, { force: true })
    // Nothing but the folder protects the socket between its creation and the change of its mode.
    const server = createServer((connection) => this.#accept(connection))
    server.on('error', () => {})
    this.#server = server
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    await chmod(socket, 0o600)
  }

  #accept(socket: Socket): void {
    socket.setNoDelay(true)
    let client: HostClient | undefined
    const left = (): void => {
      if (client) this.#left(client)
      client = undefined
    }
    socket.on('error', () => {})
    socket.on('close', left)
    readFrames<ClientMessage>(socket, {
      bytes: (bytes) => {
        // Keys of a window are dropped for the moment in which another client answers a dialog.
        if (client?.role === 'window' && !this.#held) this.#agent.write(Buffer.from(bytes))
      },
      message: (message) => {
        if (message.type === 'hello') client ??= this.#welcome(socket, message.hello)
        else if (!client) socket.destroy()
        else if (message.type === 'request') void this.#reply(client, message.id, message.request)
        else this.#resize(message.columns, message.rows)
      },
    })
  }

  #welcome(socket: Socket, { role, columns, rows }: Hello): HostClient {
    const client = new HostClient(socket, role, (behind) => {
      if (role === 'driver') behind.send({ type: 'dropped' })
      else this.#draw(behind)
    })
    sendMessage(socket, { type: 'hello', version: protocolVersion, about: this.#about })
    if (role === 'window') {
      if (columns !== undefined && rows !== undefined) this.#resize(columns, rows)
      this.#draw(client)
    }
    this.#clients.add(client)
    if (role === 'driver') this.#isAwaited = false
    if (this.#exit && role === 'window') client.send({ type: 'ended', about: this.#about })
    return client
  }

  /** Draws the whole screen in a window. */
  #draw(client: HostClient): void {
    void client.insert(this.#screen.ask({ ask: 'history' }), ({ drawing }) =>
      client.direct(Buffer.from(`${clear}${drawing}`)),
    )
  }

  #left(client: HostClient): void {
    this.#clients.delete(client)
    if (this.#held?.by === client) this.#release()
    if (this.#isDone) this.#finish()
  }

  /** A driver still needs the last screen, or starts the agent again. */
  get #isDone(): boolean {
    if (!this.#exit || this.#isAwaited || this.#has('driver')) return false
    const { restartExitCode } = this.#spec
    return restartExitCode === undefined || this.#exit.code !== restartExitCode
  }

  #has(wanted: HostClient['role']): boolean {
    return [...this.#clients].some(({ role }) => role === wanted)
  }

  async #reply(client: HostClient, id: number, request: HostRequest): Promise<void> {
    try {
      if (request.do === 'capture')
        await client.insert(this.#capture(), (value) => client.send({ type: 'reply', id, value }))
      else {
        // One after another: a check and its key must not be separated by another key.
        const acting = this.#turn.then(() => this.#act(client, request))
        this.#turn = acting.catch(() => {})
        client.send({ type: 'reply', id, value: await acting })
      }
    } catch (error) {
      client.send({ type: 'reply', id, error: (error as Error).message })
    }
  }

  async #capture(): Promise<HostSnapshot> {
    const snapshot = await this.#screen.ask({ ask: 'snapshot' })
    return { ...snapshot, about: this.#about }
  }

  async #act(client: HostClient, request: Exclude<HostRequest, { do: 'capture' }>): Promise<unknown> {
    switch (request.do) {
      case 'press':
        return { pressed: await this.#press(client, request.key, request.shown ?? [], request.held) }
      case 'paste': {
        const { modes } = await this.#screen.ask({ ask: 'check', shown: [] })
        this.#agent.write(encodePaste(request.text, modes))
        return null
      }
      case 'hold':
        this.#hold(client)
        return null
      case 'release':
        if (this.#held?.by === client) this.#release()
        return null
      case 'resize':
        this.#resize(request.columns, request.rows)
        return null
      case 'restart':
        await this.#restart()
        return null
      case 'remove':
        this.end()
        return null
      default:
        throw new Error(`Unknown request: ${(request as { do: string }).do}`)
    }
  }

  /** Presses a key if the screen shows the patterns. Nothing is read from the agent between the check and the key. */
  async #press(
    client: HostClient,
    key: PtyKey,
    shown: readonly string[],
    held: true | undefined,
  ): Promise<boolean> {
    this.#agent.pause()
    try {
      const { shows, modes } = await this.#screen.ask({ ask: 'check', shown })
      const isOurs = this.#held?.by === client
      if (!shows || this.#exit || (held ? !isOurs : this.#held && !isOurs)) return false
      this.#agent.write(encodeKey(key, modes))
      return true
    } finally {
      if (!this.#isPaused) this.#agent.resume()
    }
  }

  #hold(by: HostClient): void {
    if (this.#held && this.#held.by !== by) throw new Error('Another client holds the keyboard')
    this.#release()
    this.#held = { by, timer: setTimeout(() => this.#release(), holdMs) }
  }

  #release(): void {
    clearTimeout(this.#held?.timer)
    this.#held = undefined
  }

  #resize(columns: number, rows: number): void {
    if (!isSize(columns) || !isSize(rows)) return
    this.#agent.resize(columns, rows)
    this.#screen.resize(columns, rows)
    this.#notify('resized')
  }

  /** A window answers the queries of the agent itself. */
  #answer(text: string): void {
    if (!this.#has('window')) this.#agent.write(text)
  }

  #regulate(): void {
    const { backlog } = this.#screen
    if (!this.#isPaused && backlog > highWater) {
      this.#isPaused = true
      this.#agent.pause()
    } else if (this.#isPaused && backlog < lowWater) {
      this.#isPaused = false
      this.#agent.resume()
    }
  }

  #notify(type: 'resized' | 'changed'): void {
    for (const client of this.#clients)
      if (client.role === 'driver') client.send({ type })
      else if (type === 'changed' && this.#exit) client.send({ type: 'ended', about: this.#about })
  }

  async #close(): Promise<void> {
    const { socket } = this.#spec
    const { exit, pipes } = getHostFiles(socket)
    // A host that was told to end leaves nothing.
    if (this.#isEnding) await rm(exit, { force: true })
    else await writeExit(socket, this.#about).catch(() => {})
    await rm(pipes, { recursive: true, force: true }).catch(() => {})
    await rm(socket, { force: true }).catch(() => {})
    for (const client of this.#clients) client.close()
    const closed = new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve())
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, endMs.clients))])
    await this.#screen.close()
  }
}

/** A soft reset, and an empty screen; the rows above it belong to the user. */
const clear = '\u001B[!p\u001B[?1049l\u001B[H\u001B[2J'

function isSize(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= 1_000
}
