import type { Event } from '../model/event.ts'

let key = 0
export type Fields = Record<string, unknown> & { type: Event['type']; entity: string }

/** An event of one channel, with defaults for the other fields. */
export function event(channel: Event['origin']['channel'], fields: Fields): Event {
  return {
    agent: 'gemini',
    session: 's',
    at: 1000 + key,
    origin: { channel, source: channel, key: String(key++) },
    ...fields,
  } as unknown as Event
}

/** A user's prompt from one channel. */
export const prompt = (channel: Event['origin']['channel'], text = 'go', entity = `${channel}-prompt`) =>
  event(channel, { type: 'message', entity, role: 'user', content: [{ type: 'text', text }] })
