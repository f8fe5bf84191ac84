import type { Channel, Event, EventRecord, EventType } from '@remora/protocol'

/** The fields of an event without its envelope. */
export type Fields = Event extends infer E
  ? E extends { type: EventType }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at'> & { readonly at?: number }
    : never
  : never

export const start = Date.UTC(2026, 4, 17, 12)

/** Creates events of one source, one second apart. */
export class Story {
  readonly agent: string
  readonly session: string
  readonly channel: Channel
  readonly source: string
  #count = 0

  constructor(options: { agent?: string; session?: string; channel?: Channel; source?: string } = {}) {
    this.agent = options.agent ?? 'claude'
    this.session = options.session ?? 'one'
    this.channel = options.channel ?? 'transcripts'
    this.source = options.source ?? 'transcript'
  }

  get key(): { agent: string; session: string } {
    return { agent: this.agent, session: this.session }
  }

  event(fields: Fields): Event {
    const count = this.#count++
    return {
      agent: this.agent,
      session: this.session,
      origin: { channel: this.channel, source: this.source, key: `${count}.0`, digest: `d${count}` },
      at: start + count * 1000,
      ...fields,
    }
  }

  record(...fields: Fields[]): EventRecord[] {
    return fields.map((each) => ({ events: [this.event(each)] }))
  }

  /** Former name of `record`. */
  tell(...fields: Fields[]): EventRecord[] {
    return this.record(...fields)
  }

  prompt(text: string, entity = `prompt ${this.#count}`): EventRecord[] {
    return this.record({ type: 'message', entity, role: 'user', content: [{ type: 'text', text }] })
  }

  /** A complete text of the assistant. */
  says(text: string, message = `message ${this.#count}`): EventRecord[] {
    return this.record({ type: 'text', entity: `${message}/text/0`, message, offset: 0, text, final: true })
  }
}

/** One event of every type, with all their fields. */
export function everyEvent(story: Story): Event[] {
  const fields: Fields[] = [
    { type: 'session', entity: 's', cwd: '/home/me/work', model: 'opus', title: 'A title', version: '1.2.3' },
    {
      type: 'message',
      entity: 'p',
      role: 'user',
      content: [{ type: 'text', text: 'Hello \u{1f600} "you"\n' }],
    },
    { type: 'message', entity: 'c', role: 'user', content: [], context: true },
    { type: 'message', entity: 'm', role: 'assistant', model: 'opus' },
    { type: 'text', entity: 'm/0', message: 'm', offset: 0, text: 'Well, \u0000 \u2028 \ud800', final: true },
    { type: 'thinking', entity: 'm/1', message: 'm', offset: 3, text: 'hm', subject: 'a', description: 'b' },
    {
      type: 'tool_use',
      entity: 't',
      message: 'm',
      name: 'Bash',
      input: { command: 'ls', deep: [[{}], null, 1.5] },
    },
    {
      type: 'tool_use',
      entity: 't2',
      name: 'Read',
      input: null,
      native: { name: 'read', input: 7 },
      placed: false,
    },
    { type: 'tool_result', entity: 't', status: 'success', content: 'a\nb', display: { diff: ['-', '+'] } },
    { type: 'tool_result', entity: 't2', status: 'denied', content: [{ type: 'text', text: '' }] },
    {
      type: 'media',
      entity: 'i',
      kind: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
    },
    {
      type: 'ask',
      entity: 'a',
      ask: { id: 'a', kind: 'permission', title: 'May I?', options: [], digest: 'x' },
    },
    { type: 'answer', entity: 'a', answer: { ask: 'a', by: 'person', digest: 'x' } },
    {
      type: 'usage',
      entity: 'm',
      scope: 'message',
      usage: { inputTokens: 1 },
      models: { a: {} },
      costUsd: 0.25,
    },
    { type: 'status', entity: 'st', status: 'rewound', value: { to: 'p' } },
    { type: 'error', entity: 'e', code: 'quota', message: 'Enough', severity: 'error', retryable: false },
    { type: 'done', entity: 'd', ok: true, stopReason: 'end' },
    { type: 'unknown', entity: 'u', what: 'x', raw: { odd: [true, null, ''] } },
  ]
  return fields.map((each) => story.event(each))
}
