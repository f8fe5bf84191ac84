import type { Event } from '@remora/protocol/plain'
import { type WireMessage, toFields, toText } from '../trace/wire.ts'
import type { Redactor } from './redact.ts'

/** Redacts events, also private data that is split between chunks of a text. */
export function redactEvents(events: readonly Event[], redactor: Redactor): unknown[] {
  const texts = together(events, redactor, (event) =>
    event.type === 'text' || event.type === 'thinking'
      ? { text: event.text, of: `${event.session}/${event.entity}` }
      : undefined,
  )
  return events.map((event) => {
    const text = texts.get(event)
    const redacted = redactor.value(text === undefined ? bare(event) : { ...bare(event), text: '' }) as object
    return text === undefined ? redacted : { ...redacted, text }
  })
}

/** Drops the raw records of chunks. The wire has them, redacted as one text. */
function bare(event: Event): object {
  if (event.type === 'unknown' || !streams.has(event.origin.channel)) return event
  const { raw: _, ...rest } = event
  return rest
}

const streams: ReadonlySet<string> = new Set(['acp', 'headless'])

/** Redacts the wire messages. */
export function redactWire(wire: readonly WireMessage[], redactor: Redactor): unknown[] {
  const turns = new Map<string, number>()
  const texts = together(wire, redactor, ({ message, connection }) => {
    const params = toFields(message['params'])
    const session = `${connection}/${String(params?.['sessionId'])}`
    // Chunks of different turns are separate texts.
    if (message['method'] === 'session/prompt') turns.set(session, (turns.get(session) ?? 0) + 1)
    const text = getChunk(message)
    const kind = toFields(params?.['update'])?.['sessionUpdate']
    return text === undefined
      ? undefined
      : { text, of: `${session}/${turns.get(session) ?? 0}/${String(kind)}` }
  })
  return wire.map((each) => {
    const { at, from, message } = each
    const text = texts.get(each)
    return { at, from, message: redactor.value(text === undefined ? message : withChunk(message, text)) }
  })
}

/** Redacts the texts of one group together. */
function together<T extends object>(
  all: readonly T[],
  redactor: Redactor,
  piece: (each: T) => { readonly text: string; readonly of: string } | undefined,
): Map<T, string> {
  const groups = new Map<string, { each: T; text: string }[]>()
  for (const each of all) {
    const found = piece(each)
    if (!found) continue
    const group = groups.get(found.of)
    if (group) group.push({ each, text: found.text })
    else groups.set(found.of, [{ each, text: found.text }])
  }
  const texts = new Map<T, string>()
  for (const group of groups.values()) {
    const redacted = redactor.texts(group.map(({ text }) => text))
    for (const [index, { each }] of group.entries()) texts.set(each, redacted[index]!)
  }
  return texts
}

function getChunk(message: WireMessage['message']): string | undefined {
  const update = toFields(toFields(message['params'])?.['update'])
  if (!toText(update?.['sessionUpdate'])?.endsWith('_chunk')) return undefined
  return toText(toFields(update?.['content'])?.['text'])
}

function withChunk(message: WireMessage['message'], text: string): object {
  const params = toFields(message['params'])!
  const update = toFields(params['update'])!
  const content = { ...toFields(update['content']), text }
  return { ...message, params: { ...params, update: { ...update, content } } }
}
