import { type Event, type Message, fold } from '@remora/protocol'
import { join } from '../../../../apps/web/src/state/join-messages.ts'
import type { TestServer } from '../http/server.test-data.ts'

export interface Frame {
  readonly type: 'messages'
  readonly id: string
  readonly from: number
  readonly messages: readonly Message[]
  readonly total: number
  readonly cursor: string
  readonly whole?: true
}

/** The messages of a phone after its frames, merged as the app merges them. */
export class Follower {
  from = 0
  messages: readonly Message[] = []
  cursor: string | undefined
  /** Frames that did not fit the messages before them. */
  misfits = 0

  take(frame: Frame): void {
    this.cursor = frame.cursor
    if (frame.whole) {
      this.from = frame.from
      this.messages = frame.messages
      return
    }
    const joined = join(this, frame)
    if (joined) Object.assign(this, joined)
    else this.misfits += 1
  }
}

/** Reads all messages of a session from the ledger, as they are sent to clients. */
export async function readMessages(
  ledger: TestServer['ledger'],
  session: { agent: string; session: string },
): Promise<Message[]> {
  const events: Event[] = []
  for (let after = { epoch: ledger.epoch, seq: 0 }; ;) {
    const page = await ledger.read({ session, after, limit: 1000 })
    if (page.events.length === 0) break
    events.push(...page.events.map(({ event }) => event))
    after = page.cursor
  }
  const messages = fold(events).map((message) => ({ ...message, _original: [] }))
  return JSON.parse(JSON.stringify(messages)) as Message[]
}
