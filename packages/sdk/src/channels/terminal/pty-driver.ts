import { existsSync } from 'node:fs'
import { RemoraError } from '@remora/protocol/plain'
import { killTree } from '../../process/kill-tree.ts'
import { HostConnection } from '../../pty/host-connection.ts'
import { readExit, removeHostFiles } from '../../pty/host-files.ts'
import type { HostFacts, HostSnapshot } from '../../pty/wire.ts'
import type { Captured } from './capture.ts'
import type { DriverEvents, HeldKeys, TerminalDriver } from './terminal-driver.ts'
import type { Key, PaneAddress } from './terminal.ts'
import { removeControls } from './typing.ts'
import { within } from './within.ts'

/** The pane of an address whose socket is that of a PTY host, which has only one. */
export const ptyPane = 'pty'

/** How long a host may take to end. */
const removeMs = 5_000

/** The terminal of a PTY host, through its socket. */
export class PtyDriver implements TerminalDriver {
  readonly #socket: string
  readonly #host: HostConnection
  /** Whether the host has reported the end of its agent. */
  #isReported = false

  private constructor(socket: string, host: HostConnection) {
    this.#socket = socket
    this.#host = host
  }

  static async connect({ socket }: PaneAddress, events: DriverEvents): Promise<TerminalDriver> {
    try {
      const host = await HostConnection.open(
        socket,
        { role: 'driver' },
        {
          output: (bytes) => events.output(bytes),
          message: ({ type }) => {
            if (type !== 'ended') events[type]()
          },
        },
      )
      return new PtyDriver(socket, host)
    } catch (error) {
      const exit = isGone(error) ? await readExit(socket) : undefined
      if (exit) return new EndedHost(socket, exit)
      if (!isGone(error)) throw error
      // A killed host could not remove its files.
      if (existsSync(socket)) await removeHostFiles(socket)
      throw new RemoraError('not_found', 'Terminal host was killed, or the machine restarted', {
        cause: error,
      })
    }
  }

  get isOver(): boolean {
    return this.#host.isOver
  }

  get ended(): Promise<unknown> {
    return this.#host.ended
  }

  async capture({ seen }: { readonly seen?: (captured: Captured) => void } = {}): Promise<
    Captured | undefined
  > {
    let captured: Captured | undefined
    await this.#host.request({ do: 'capture' }, (snapshot) => {
      captured = toCaptured(snapshot)
      this.#isReported = snapshot.about.dead
      seen?.(captured)
    })
    return captured
  }

  async press(key: Key): Promise<void> {
    const { pressed } = await this.#host.request({ do: 'press', key: clean(key) })
    if (!pressed) throw new RemoraError('conflict', 'Another client is answering at this terminal')
  }

  async pressIf(key: Key, shown: readonly string[]): Promise<boolean> {
    return (await this.#host.request({ do: 'press', key: clean(key), shown })).pressed
  }

  async paste(text: string): Promise<void> {
    await this.#host.request({ do: 'paste', text })
  }

  async hold(): Promise<HeldKeys> {
    await this.#host.request({ do: 'hold' })
    return {
      press: async (key, shown) =>
        (await this.#host.request({ do: 'press', key: clean(key), shown, held: true })).pressed,
      release: async () => {
        await this.#host.request({ do: 'release' })
      },
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#host.request({ do: 'resize', columns, rows })
  }

  async restart(): Promise<void> {
    await this.#host.request({ do: 'restart' })
  }

  /** The host always reports it. */
  checkExit(): void {}

  async remove(): Promise<void> {
    // A host that does not answer has ended, or ends when its folder is removed.
    await within(
      removeMs,
      this.#host
        .request({ do: 'remove' })
        .catch(() => {})
        .then(() => this.#host.ended),
    )
    // A killed host could not end what ignores the end of its terminal.
    const { pid, run, dead } = this.#host.about
    if (!dead && !this.#isReported) await killTree({ pid, startTime: undefined, run }, { grace: 500 })
    await removeHostFiles(this.#socket)
  }

  pause(): void {
    this.#host.pause()
  }

  resume(): void {
    this.#host.resume()
  }

  async close(): Promise<void> {
    this.#host.close()
    await this.#host.ended
  }

  kill(): void {
    this.#host.close()
  }
}

/** A host that has ended, and has left how its agent ended. */
class EndedHost implements TerminalDriver {
  readonly isOver = false
  readonly ended = new Promise<never>(() => {})
  readonly #socket: string
  readonly #about: HostFacts

  constructor(socket: string, about: HostFacts) {
    this.#socket = socket
    this.#about = about
  }

  async capture({ seen }: { readonly seen?: (captured: Captured) => void } = {}): Promise<Captured> {
    const screen = { title: '', lines: [], columns: 80, cursor: { x: 0, y: 0 } }
    const captured = toCaptured({ screen, rows: 24, drawing: '', about: this.#about })
    seen?.(captured)
    return captured
  }

  remove(): Promise<void> {
    return removeHostFiles(this.#socket)
  }

  press = fail
  pressIf = fail
  paste = fail
  hold = fail
  resize = fail
  restart = fail
  checkExit(): void {}
  pause(): void {}
  resume(): void {}
  async close(): Promise<void> {}
  kill(): void {}
}

async function fail(): Promise<never> {
  throw new RemoraError('not_found', 'The agent has ended')
}

function isGone(error: unknown): boolean {
  return RemoraError.is(error) && error.code === 'not_found'
}

function clean(key: Key): Key {
  return 'text' in key ? { text: removeControls(key.text) } : key
}

function toCaptured({ screen, rows, drawing, about }: HostSnapshot): Captured {
  const { pid, run, dead, code, signal } = about
  return {
    columns: screen.columns,
    rows,
    title: screen.title,
    bytes: drawing,
    screen,
    about: { pid, run, dead, code, signal },
  }
}
