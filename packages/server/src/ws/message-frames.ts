import { type Cursor, type Message, formatCursor } from '@remora/protocol'

/** The messages to send to a follower, and the id of its subscription. */
export interface FrameRange {
  readonly id: string
  readonly from: number
  readonly to: number
  /** Whether the follower replaces all its messages. */
  readonly isWhole: boolean
}

/** Messages from position `offset` on. */
interface FramedSession {
  readonly offset: number
  readonly messages: readonly Message[]
}

/** How long frames are kept for other followers of the session. */
const keptMs = 1_000

/** The frames of one session. Followers that need the same frame share its bytes, and each message is encoded once. */
export class MessageFrames {
  #session: FramedSession = { offset: 0, messages: [] }
  readonly #texts = new Map<Message, string>()
  readonly #frames = new Map<string, Buffer>()
  #timer: NodeJS.Timeout | undefined

  /** Uses these messages, which may have changed since the last call. */
  reset(session: FramedSession): void {
    this.#session = session
    this.#frames.clear()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#texts.clear()
    this.#frames.clear()
  }

  /** A message as JSON. */
  encode(message: Message): string {
    let text = this.#texts.get(message)
    if (text === undefined) {
      text = JSON.stringify(message)
      this.#texts.set(message, text)
      this.#clearLater()
    }
    return text
  }

  get(range: FrameRange, cursor: Cursor): Buffer {
    const { id, from, to, isWhole } = range
    const at = formatCursor(cursor)
    const key = JSON.stringify([id, from, to, isWhole, at])
    let frame = this.#frames.get(key)
    if (!frame) {
      const { offset, messages } = this.#session
      const texts = messages
        .slice(from - offset, Math.max(from, to) - offset)
        .map((each) => this.encode(each))
      frame = Buffer.from(
        `{"type":"messages","id":${JSON.stringify(id)},"from":${from},"messages":[${texts.join(',')}],` +
          `"total":${offset + messages.length},"cursor":${JSON.stringify(at)}${isWhole ? ',"whole":true' : ''}}`,
      )
      this.#frames.set(key, frame)
      this.#clearLater()
    }
    return frame
  }

  #clearLater(): void {
    this.#timer ??= setTimeout(() => this.clear(), keptMs).unref()
  }
}
