import { randomUUID } from 'node:crypto'
import { RemoraError } from '@remora/protocol/plain'
import { type Captured, capture } from './capture.ts'
import { ControlClient } from './control-client.ts'
import { runTmux } from './run-tmux.ts'
import type { DriverEvents, HeldKeys, TerminalDriver } from './terminal-driver.ts'
import type { Key, PaneAddress } from './terminal.ts'
import { formatCommand } from './tmux-command.ts'
import { toTmuxCondition } from './shown-condition.ts'
import { removeControls, toClick } from './typing.ts'
import { within } from './within.ts'

/** After so many seconds tmux releases the keyboard by itself, in case this process has ended. */
const returnSeconds = 3
/** How long tmux may take to remove a session. */
const removeMs = 2_000
const heldMark = '@remora-held'

/** A pane of tmux, through a control client. */
export class TmuxDriver implements TerminalDriver {
  readonly #address: PaneAddress
  #client!: ControlClient
  /** The last snapshot's window and session. */
  #window = ''
  #session = ''
  #run: string | undefined

  private constructor(address: PaneAddress) {
    this.#address = address
  }

  static async connect(address: PaneAddress, events: DriverEvents): Promise<TmuxDriver> {
    const driver = new TmuxDriver(address)
    const { socket, pane } = address
    driver.#client = await ControlClient.attach({
      socket,
      target: pane,
      pane,
      onOutput: (bytes) => events.output(bytes),
      onNotice: (name, rest) => {
        const [first] = rest.split(' ')
        if (name === 'pause' && first === pane) events.dropped()
        else if (name === 'layout-change' && first === driver.#window) events.resized()
        else if (windowNotices.has(name)) events.changed()
      },
    })
    return driver
  }

  get isOver(): boolean {
    return this.#client.over
  }

  get ended(): Promise<unknown> {
    return this.#client.ended
  }

  async capture({
    resumes = false,
    seen,
  }: {
    readonly resumes?: boolean
    readonly seen?: (captured: Captured) => void
  } = {}): Promise<Captured | undefined> {
    const { pane } = this.#address
    const captured = await capture(this.#client, pane, {
      ...(resumes ? { before: ['refresh-client', '-A', `${pane}:continue`] } : {}),
      seen: (found) => {
        const { window, session, run } = found.tmux
        this.#window = window
        this.#session ||= session
        this.#run = run
        seen?.(found)
      },
    })
    // The pane was moved to another session, whose output we do not get: a new connection follows it.
    if (captured && captured.tmux.session !== this.#session) this.#client.kill()
    return captured
  }

  async press(key: Key): Promise<void> {
    const { pane } = this.#address
    await this.#client.batch({ commands: [leaveCopyMode(pane), toSendKeys(pane, key)] })
  }

  async pressIf(key: Key, shown: readonly string[]): Promise<boolean> {
    const { pane } = this.#address
    const [press, skip] = [toSendKeys(pane, key), ['display-message', '-p', 'skipped']].map(formatCommand)
    const [, , answer] = await this.#client.batch({
      commands: [leaveCopyMode(pane), ['if-shell', '-F', '-t', pane, toTmuxCondition(shown), press!, skip!]],
      // The last answer is that of the chosen command.
      answers: 3,
    })
    return answer?.[0] !== 'skipped'
  }

  async paste(text: string): Promise<void> {
    const { pane } = this.#address
    const buffer = `remora-${randomUUID()}`
    await this.#client.batch({
      commands: [
        leaveCopyMode(pane),
        ['set-buffer', '-b', buffer, '--', text],
        ['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane],
      ],
    })
  }

  async hold(): Promise<HeldKeys> {
    const { pane } = this.#address
    const token = randomUUID()
    const off = ['select-pane', '-d', '-t', pane]
    const on = ['select-pane', '-e', '-t', pane]
    // A delayed tmux command without a shell would be dropped together with its client.
    const giveBack = `[ "$(tmux show-options -pqv -t ${pane} ${heldMark})" = ${token} ] && tmux ${on.join(' ')}`
    // tmux would show any output or failure in the pane, in a mode that takes all keys.
    const silently = `{ ${giveBack}; } >/dev/null 2>&1 || :`
    await this.#client.batch({
      commands: [
        ['set-option', '-p', '-t', pane, heldMark, token],
        off,
        ['run-shell', '-b', '-d', String(returnSeconds), silently],
      ],
    })
    return {
      press: async (key, shown) => {
        const sure = `#{&&:#{pane_input_off},${toTmuxCondition(shown)}}`
        const press = [on, toSendKeys(pane, key), off]
        // Both branches need the same number of answers.
        const skip = ['skipped', '', ''].map((text) => ['display-message', '-p', text])
        const branches = [press, skip].map((all) => all.map(formatCommand).join(' ; '))
        const [, , answer] = await this.#client.batch({
          commands: [leaveCopyMode(pane), ['if-shell', '-F', '-t', pane, sure, ...branches]],
          answers: 5,
        })
        return answer?.[0] !== 'skipped'
      },
      release: async () => {
        await this.#client.batch({ commands: [on, ['set-option', '-p', '-u', '-t', pane, heldMark]] })
      },
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#client.batch({
      commands: [
        ['resize-window', '-t', this.#window, '-x', String(columns), '-y', String(rows)],
        // Resizing fixes the size of a window; this lets users who attach resize it again.
        ['set-option', '-w', '-t', this.#window, 'window-size', 'latest'],
      ],
    })
  }

  async restart(): Promise<void> {
    await this.#client.run('respawn-pane', '-k', '-t', this.#address.pane)
  }

  checkExit(): void {
    // tmux 3.3a sometimes misses the exit of a child until another child exits.
    if (this.#run !== undefined) this.#client.run('run-shell', '-b', ':').catch(() => {})
  }

  /** Uses a separate tmux client, since the control client may be disconnected. Checks that the pane is still the same. */
  async remove(): Promise<void> {
    const { socket, pane } = this.#address
    const session = this.#session
    const isSame = `#{&&:#{==:#{session_id},${session}},#{==:#{@remora-run},${this.#run}}}`
    const commands = [['if-shell', '-F', '-t', pane, isSame, `kill-session -t '${session}'`]]
    const isDone = await within(
      removeMs,
      runTmux({ socket, commands }).then(
        () => true,
        (error: unknown) => {
          if (RemoraError.is(error) && error.code === 'not_found') return true
          throw error
        },
      ),
    )
    if (!isDone)
      throw new RemoraError('timeout_total', `tmux did not remove the pane ${pane} within ${removeMs} ms`, {
        hint: `The agent has ended. Remove the rest with: tmux -S ${socket} kill-session -t '${session}'`,
      })
  }

  pause(): void {
    this.#client.pause()
  }

  resume(): void {
    this.#client.resume()
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  kill(): void {
    this.#client.kill()
  }
}

/** Leaves copy mode first, since it would take the key while the user scrolls back. */
function leaveCopyMode(pane: string): string[] {
  return ['copy-mode', '-q', '-t', pane]
}

/** The tmux command that presses a key. */
function toSendKeys(pane: string, key: Key): string[] {
  if ('text' in key) return ['send-keys', '-t', pane, '-l', '--', removeControls(key.text)]
  const click = toClick(key.key)
  if (click !== undefined)
    return [
      'send-keys',
      '-t',
      pane,
      '-H',
      ...Array.from(Buffer.from(click), (byte) => byte.toString(16).padStart(2, '0')),
    ]
  return ['send-keys', '-t', pane, '--', key.key]
}

/** Notices of tmux about a change of a window, which may be ours. */
const windowNotices: ReadonlySet<string> = new Set([
  'window-close',
  'unlinked-window-close',
  'window-renamed',
  'unlinked-window-renamed',
  'window-pane-changed',
  'session-changed',
])
