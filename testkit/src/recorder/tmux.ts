import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { RemoraError } from '@remora/protocol'

const run = promisify(execFile)

/** One program in a terminal, on a tmux server of its own. */
export interface Terminal extends AsyncDisposable {
  screen(): Promise<Screen>
  /** Types text and nothing else. */
  write(text: string): Promise<void>
  /** Types text and presses Enter as a person would: not in one burst, which some CLIs take for a paste. */
  type(text: string): Promise<void>
  key(name: string): Promise<void>
  /** Waits until a screen passes and stays the same for a moment. */
  until(name: string, passes: (screen: Screen) => boolean, signal?: AbortSignal): Promise<Screen>
  /** The first screen that passes, for what never stands still. */
  glimpse(name: string, passes: (screen: Screen) => boolean, signal?: AbortSignal): Promise<Screen>
}

export interface Screen {
  readonly title: string
  readonly text: string
  readonly cursor: { readonly x: number; readonly y: number }
}

export interface TerminalPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
  /** What two screens have to have in common to be the same; by default everything. */
  still?(text: string): string
}

/** @example await using terminal = await openTerminal(['gemini'], { cwd, env }) */
export async function openTerminal(command: readonly string[], place: TerminalPlace): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), 'remora-tmux-'))
  const socket = join(folder, 'socket')
  // The server must not read the user's configuration, nor start from our environment.
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-f', '/dev/null', '-S', socket, ...args], { env: { ...place.env } })).stdout

  const environment = Object.entries(place.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  // The last screen of a program that ended early says why.
  await tmux(
    'new-session',
    '-d',
    '-s',
    'it',
    '-x',
    String(place.columns ?? 120),
    '-y',
    String(place.rows ?? 40),
    '-c',
    place.cwd,
    ...environment,
    quoted(command),
  )
  await tmux('set-option', '-g', 'remain-on-exit', 'on')

  const screen = async (): Promise<Screen> => {
    const about = await tmux('display-message', '-p', '-t', 'it', '#{cursor_x} #{cursor_y} #{pane_title}')
    const [, x, y, title = ''] = /^(\d+) (\d+) (.*)$/m.exec(about.trimEnd()) ?? []
    const text = await tmux('capture-pane', '-p', '-t', 'it')
    return {
      title,
      text: text.replaceAll(/[ \t]+$/gm, '').replace(/\n+$/, '\n'),
      // A dead pane has none.
      cursor: { x: Number(x ?? 0), y: Number(y ?? 0) },
    }
  }

  const still = place.still ?? ((text: string) => text)
  /** Looks until a screen passes and has stayed the same for so many looks. */
  const look =
    (looks: number): Terminal['until'] =>
    async (name, passes, signal) => {
      const deadline = Date.now() + 240_000
      let last: Screen = { title: '', text: '', cursor: { x: 0, y: 0 } }
      let calm = -1
      while (Date.now() < deadline) {
        signal?.throwIfAborted()
        const now = await screen()
        calm = !passes(now) ? -1 : still(now.text) === still(last.text) ? calm + 1 : 0
        if (calm >= looks) return now
        last = now
        await sleep(200)
      }
      throw new RemoraError('timeout_idle', `The screen never became "${name}":\n${last.title}\n${last.text}`)
    }

  const write = async (text: string) => {
    await tmux('send-keys', '-t', 'it', '-l', '--', text)
  }
  return {
    screen,
    write,
    async type(text) {
      await write(text)
      await sleep(300)
      // On a busy machine the two may still arrive as one; then the text stays where it is.
      for (let attempt = 0; attempt < 5; attempt++) {
        const before = await screen()
        await tmux('send-keys', '-t', 'it', 'Enter')
        await sleep(1000)
        if ((await screen()).text !== before.text) return
      }
    },
    async key(name) {
      await tmux('send-keys', '-t', 'it', name)
    },
    until: look(4),
    glimpse: look(0),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function quoted(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
}
