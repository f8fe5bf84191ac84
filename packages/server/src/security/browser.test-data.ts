import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** The path of an installed browser, if any. */
export const chromium = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find((file) => existsSync(file))

export interface Tab {
  go(url: string): Promise<void>
  /** Evaluates an expression in the page. */
  evaluate<T>(expression: string): Promise<T>
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>
}

/** One tab of a browser. */
interface Target {
  readonly type: string
  readonly webSocketDebuggerUrl: string
}

/** A real browser with one tab, driven by the DevTools protocol. */
export class Browser implements Tab {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>()
  #count = 0

  private constructor(process: ChildProcess, folder: string, socket: WebSocket) {
    this.#process = process
    this.#folder = folder
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: unknown }
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer)
    })
  }

  static async start(): Promise<Browser> {
    const folder = await mkdtemp(join(tmpdir(), 'remora-browser-'))
    const flags = [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
    ]
    const args = [...flags, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank']
    const process = spawn(chromium!, args, { stdio: 'ignore' })
    const file = join(folder, 'DevToolsActivePort')
    let port: string | undefined
    while (!port) {
      await sleep(50)
      // The line is complete only when the next one has started.
      port = /^(\d+)\n/.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
    }
    // The browser listens before its tab exists.
    let tab: Target | undefined
    while (!tab) {
      const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Target[]
      tab = targets.find(({ type }) => type === 'page')
      if (!tab) await sleep(50)
    }
    const socket = new WebSocket(tab.webSocketDebuggerUrl)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return new Browser(process, folder, socket)
  }

  async go(url: string): Promise<void> {
    await this.#call('Page.navigate', { url })
    // The old page may still answer for a moment.
    const origin = JSON.stringify(new URL(url).origin)
    await this.until(`document.readyState === "complete" && location.origin === ${origin}`)
  }

  async evaluate<T>(expression: string): Promise<T> {
    const given = { expression, awaitPromise: true, returnByValue: true }
    const { result } = (await this.#call('Runtime.evaluate', given)) as { result: { value: T } }
    return result.value
  }

  async until(expression: string): Promise<void> {
    while (!(await this.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) await sleep(30)
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await gone
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  #call(method: string, params: object): Promise<unknown> {
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id)
        if (error) reject(new Error(JSON.stringify(error)))
        else resolve(result)
      })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}
