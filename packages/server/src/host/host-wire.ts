import type { Socket } from 'node:net'
import type { LiveState, ModeInfo } from '@remora/protocol/plain'
import type { HostExit } from './host-files.ts'

/** The current state of the session of a host. */
export interface HostInfo {
  readonly state: LiveState
  /** When the state began. Hosts of earlier versions do not report it. */
  readonly since?: number
  /** The current problem, if there is one. */
  readonly detail?: string
  readonly title?: string
  readonly mode?: string
  readonly model?: string
  readonly modes: readonly HostChoice[]
  /** The modes with labels and what each is like. Hosts of earlier versions do not report them. */
  readonly permissionModes?: readonly ModeInfo[]
  readonly models: readonly HostChoice[]
}

export interface HostChoice {
  readonly id: string
  readonly name: string
}

/** One line of JSON each. The socket carries liveness and state; everything that must not be lost goes through the ledger. */
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

/** Longer lines are invalid. */
const longestLine = 1024 * 1024

/** Calls back with every message. Invalid input closes the connection. */
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

/** Drops messages for a slow reader: the next state replaces the one before. */
export function sendMessage(socket: Socket, message: HostMessage | HostRequest): void {
  if (socket.writable && socket.writableLength < longestLine) socket.write(`${JSON.stringify(message)}\n`)
}
