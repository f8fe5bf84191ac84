import type { Socket } from 'node:net'
import type { LiveState } from '@remora/protocol/plain'
import type { HostExit } from './host-files.ts'

/** What a host says of its session, as it is now. */
export interface HostInfo {
  readonly state: LiveState
  /** What is wrong, if anything is. */
  readonly detail?: string
  readonly title?: string
  readonly mode?: string
  readonly model?: string
  readonly modes: readonly HostChoice[]
  readonly models: readonly HostChoice[]
}

export interface HostChoice {
  readonly id: string
  readonly name: string
}

/** One line of JSON each. The socket is for liveness and state; what must not be lost goes through the ledger. */
export type HostMessage =
  | {
      readonly type: 'info'
      readonly pid: number
      readonly live: string
      /** The agent's own id, once it is known. */
      readonly session?: string
      readonly info: HostInfo
    }
  | { readonly type: 'exit'; readonly exit: HostExit }
  | { readonly type: 'reply'; readonly id: number; readonly error?: HostExit['error'] }

export interface HostRequest {
  readonly id: number
  readonly do: 'cancel' | 'end' | 'nudge'
}

/** A line longer than this is nobody's of ours. */
const longestLine = 1024 * 1024

/** Calls back with every message; one who sends something else is cut off. */
export function onMessages<Message>(socket: Socket, take: (message: Message) => void): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    try {
      if (rest.length > longestLine) throw new Error('too long')
      for (const line of lines) take(JSON.parse(line) as Message)
    } catch {
      socket.destroy()
    }
  })
}

/** Whoever does not read is not waited for: the next state replaces the one before. */
export function sendMessage(socket: Socket, message: HostMessage | HostRequest): void {
  if (socket.writable && socket.writableLength < longestLine) socket.write(`${JSON.stringify(message)}\n`)
}
