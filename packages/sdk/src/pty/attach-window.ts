import { spawnSync } from 'node:child_process'
import type { ReadStream, WriteStream } from 'node:tty'
import { AlternateScreen, leaveWindow } from './leave-window.ts'
import { DetachKeys } from './detach-keys.ts'
import { HostConnection } from './host-connection.ts'
import type { HostFacts } from './wire.ts'

/** A window on the terminal of a PTY host. */
export interface WindowOptions {
  /** The socket of the host. */
  readonly socket: string
  /** The user's terminal. */
  readonly input: ReadStream
  readonly output: WriteStream
}

/** Why a window was closed. */
export type WindowEnd =
  | { readonly type: 'detached' }
  | { readonly type: 'ended'; readonly code?: number; readonly signal?: string }
  /** The host was killed. */
  | { readonly type: 'lost' }

/**
 * Shows the terminal of a PTY host in the user's terminal until it ends, or until Ctrl+B and D are pressed. Bytes pass
 * through unchanged in both directions.
 *
 * @example await attachWindow({ socket, input: process.stdin, output: process.stdout })
 */
export async function attachWindow({ socket, input, output }: WindowOptions): Promise<WindowEnd> {
  let ended: HostFacts | undefined
  const alternate = new AlternateScreen()
  // The host clears the screen, so what is there moves up.
  output.write('\r\n'.repeat(output.rows))
  const host = await HostConnection.open(
    socket,
    { role: 'window', columns: output.columns, rows: output.rows },
    {
      output: (bytes) => {
        alternate.read(bytes)
        // A terminal that is slow to draw slows its own connection only.
        if (output.write(bytes)) return
        host.pause()
        output.once('drain', () => host.resume())
      },
      message: (message) => {
        if (message.type !== 'ended') return
        ended = message.about
        host.close()
      },
    },
  )
  let isDetached = false
  const detach = (): void => {
    isDetached = true
    host.close()
  }
  const keys = new DetachKeys((bytes) => host.write(bytes), detach)
  const onData = (chunk: Buffer): void => keys.read(chunk)
  const onResize = (): void => host.send({ type: 'size', columns: output.columns, rows: output.rows })
  const restore = setRaw(input)
  input.on('data', onData)
  input.on('end', detach)
  output.on('resize', onResize)
  // The user's terminal is gone.
  process.on('SIGHUP', detach)
  process.on('SIGTERM', detach)
  try {
    await host.ended
  } finally {
    input.off('data', onData)
    input.off('end', detach)
    output.off('resize', onResize)
    process.off('SIGHUP', detach)
    process.off('SIGTERM', detach)
    output.write(leaveWindow({ rows: output.rows, isAlternate: alternate.isShown }))
    restore()
    input.pause()
  }
  if (isDetached) return { type: 'detached' }
  if (!ended) return { type: 'lost' }
  const { code, signal } = ended
  return {
    type: 'ended',
    ...(code === undefined ? {} : { code }),
    ...(signal === undefined ? {} : { signal }),
  }
}

/** Raw mode, also for output: Node's raw mode translates line breaks, which the agent's terminal has done already. */
function setRaw(input: ReadStream): () => void {
  input.setRawMode(true)
  spawnSync('stty', ['-opost'], { stdio: [input, 'ignore', 'ignore'] })
  return () => input.setRawMode(false)
}
