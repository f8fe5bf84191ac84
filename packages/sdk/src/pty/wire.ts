import type { Socket } from 'node:net'
import type { Screen } from '../contract/agent.ts'

/** The version of the protocol. A host outlives updates of Remora, so a client must understand every earlier version. */
export const protocolVersion = 1

/** A key by tmux's name, or literal text. */
export type PtyKey = { readonly key: string } | { readonly text: string }

/** What a host knows of its agent besides the screen. */
export interface HostFacts {
  /** The process of the agent. */
  readonly pid: number
  /** The id of the run, by which all processes of the agent are found. */
  readonly run: string
  /** Whether the agent has ended. */
  readonly dead: boolean
  readonly code?: number
  readonly signal?: string
}

/** A snapshot of the screen, in order with the output that the host sends. */
export interface HostSnapshot {
  readonly screen: Screen
  readonly rows: number
  /** The output that draws the screen on an empty terminal of the same size. */
  readonly drawing: string
  readonly about: HostFacts
}

/** The first message of a client. A window sends its size, and its bytes reach the agent as they are. */
export interface Hello {
  readonly version: number
  readonly role: 'driver' | 'window'
  readonly columns?: number
  readonly rows?: number
}

/** What a driver can request; each request gets a reply. */
export type HostRequest =
  | { readonly do: 'capture' }
  /** With `shown`, only if the screen shows text for each glob pattern; with `held`, only while this client holds the keyboard. */
  | {
      readonly do: 'press'
      readonly key: PtyKey
      readonly shown?: readonly string[]
      readonly held?: true
    }
  | { readonly do: 'paste'; readonly text: string }
  /** Takes the keyboard from all other clients for a few seconds. */
  | { readonly do: 'hold' }
  | { readonly do: 'release' }
  | { readonly do: 'resize'; readonly columns: number; readonly rows: number }
  /** Starts the agent again, with the same command. */
  | { readonly do: 'restart' }
  /** Ends the agent and the host. */
  | { readonly do: 'remove' }

/** The reply of each request. */
export interface Replies {
  capture: HostSnapshot
  press: { readonly pressed: boolean }
  paste: null
  hold: null
  release: null
  resize: null
  restart: null
  remove: null
}

export type ClientMessage =
  | { readonly type: 'hello'; readonly hello: Hello }
  | { readonly type: 'request'; readonly id: number; readonly request: HostRequest }
  /** The size of a window. */
  | { readonly type: 'size'; readonly columns: number; readonly rows: number }

export type HostMessage =
  | { readonly type: 'hello'; readonly version: number; readonly about: HostFacts }
  | { readonly type: 'reply'; readonly id: number; readonly value?: unknown; readonly error?: string }
  /** The size has changed; the agent has started or ended; output was dropped because the client was too slow. */
  | { readonly type: 'resized' | 'changed' | 'dropped' }
  /** For windows, before the host disconnects. */
  | { readonly type: 'ended'; readonly about: HostFacts }

const kinds = { message: 0, bytes: 1 } as const
const headerBytes = 5
/** A prompt may have a million characters. */
const longest = 16 * 1024 * 1024

/** Sends a message as JSON. */
export function sendMessage(socket: Socket, message: ClientMessage | HostMessage): void {
  sendFrame(socket, kinds.message, Buffer.from(JSON.stringify(message)))
}

/** Sends bytes of the terminal. */
export function sendBytes(socket: Socket, bytes: Uint8Array): void {
  sendFrame(socket, kinds.bytes, bytes)
}

function sendFrame(socket: Socket, kind: number, payload: Uint8Array): void {
  if (!socket.writable) return
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(kind, 0)
  header.writeUInt32BE(payload.length, 1)
  socket.cork()
  socket.write(header)
  socket.write(payload)
  socket.uncork()
}

/** Calls back for each frame. Invalid input closes the connection. */
export function readFrames<Message>(
  socket: Socket,
  take: { readonly message: (message: Message) => void; readonly bytes: (bytes: Buffer) => void },
): void {
  let parts: Buffer[] = []
  let length = 0
  let needed = headerBytes
  const handle = (): void => {
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    let at = 0
    needed = headerBytes
    while (all.length - at >= headerBytes) {
      const size = all.readUInt32BE(at + 1)
      if (size > longest) throw new Error('too long')
      needed = headerBytes + size
      if (all.length - at < needed) break
      const payload = all.subarray(at + headerBytes, at + needed)
      if (all[at] === kinds.bytes) take.bytes(payload)
      else take.message(JSON.parse(payload.toString('utf8')) as Message)
      at += needed
      needed = headerBytes
    }
    parts = at < all.length ? [all.subarray(at)] : []
    length = all.length - at
  }
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    length += chunk.length
    if (length < needed) return
    try {
      handle()
    } catch {
      socket.destroy()
    }
  })
}
