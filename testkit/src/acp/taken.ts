import { type Event, Event as EventSchema, fold } from '@remora/protocol'
import type { PromptContent, PromptOptions, Run, RunResult, Session } from '@remora/sdk'
import { expect } from 'vitest'

/** What one prompt gave. */
export interface Taken {
  readonly events: readonly Event[]
  readonly result: RunResult
}

/** Says something and reads all that comes of it. */
export async function say(
  session: Session,
  content: PromptContent,
  options: PromptOptions = {},
): Promise<Taken> {
  return read(session.prompt(content, options))
}

/** Reads a run to its end. Whatever it tells: good events, from one `session` to one `done`. */
export async function read(run: Run, each?: (event: Event) => void): Promise<Taken> {
  const events: Event[] = []
  for await (const event of run) {
    events.push(event)
    each?.(event)
  }
  for (const event of events) EventSchema.parse(event)
  expect(events.filter(({ type }) => type === 'session')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['session', 'done'])
  expect(new Set(events.map(({ session }) => session)).size).toBe(1)
  return { events, result: await run.result }
}

/** How every call ended, by its id. */
export function getEnds(events: readonly Event[]): Map<string, string> {
  const ends = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'tool_use' && !ends.has(event.entity)) ends.set(event.entity, 'open')
    if (event.type === 'tool_result') ends.set(event.entity, event.status)
  }
  return ends
}

/** What the person and the assistant said. */
export function getTexts(events: readonly Event[]): string[] {
  return fold(events)
    .filter(({ role, context }) => !context && role !== 'system')
    .flatMap(({ role, content }) =>
      content.flatMap((block) => (block.type === 'text' ? [`${role}: ${block.text.trim()}`] : [])),
    )
}

/** So many words, none twice: some agents stop a model that repeats itself. */
export function words(count: number, name = 'word'): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')
}
