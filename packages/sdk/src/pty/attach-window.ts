import { spawnSync } from 'node:child_process'
import type { ReadStream, WriteStream } from 'node:tty'
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
  const host = await HostConnection.open(
    socket,
    { role: 'window', columns: output.columns, rows: output.rows },
    {
      output: (bytes) => {
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
    output.write(resetModes)
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

/** Modes that an agent may have set: mouse, focus, paste, keyboard protocols, scroll region, alternate screen, cursor. */
const resetModes = [
  '\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?1004l\u001B[?2004l\u001B[?2026l\u001B[?1l\u001B>',
  '\u001B[<u\u001B[>4;0m\u001B[r\u001B[?6l\u001B[?7h\u001B[m\u001B[?1049l\u001B[?25h\r\n',
].join('')
