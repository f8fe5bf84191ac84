import type { Event } from '@remora/protocol'
import { EventMaker } from '@remora/sdk/acp'
import { type Agent, PayloadReader, findAgent } from '@remora/sdk/hooks'
import { getChannel } from './record.ts'
import type { Files, FixtureChannel } from './recording.ts'

/** What our readers make of a recording, by channel: one line per event, without ids, times and text. */
export function readRecording(agentId: string, files: Files): Map<FixtureChannel, string[]> {
  const agent = findAgent(agentId)
  const found = new Map<FixtureChannel, string[]>()
  for (const [name, text] of files) {
    const channel = getChannel(name)
    if (!agent || !name.endsWith('.jsonl') || (channel !== 'stream' && channel !== 'hooks')) continue
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    const events = channel === 'stream' ? readStream(agent, lines) : readHooks(agent, lines)
    found.set(channel, [...(found.get(channel) ?? []), ...events.map(describe)])
  }
  return found
}

function readStream(agent: Agent, lines: readonly string[]): Event[] {
  const maker = new EventMaker({ agent: agent.id, channel: 'headless', source: 'recording' })
  const reader = agent.headless?.reader?.(maker, { prompt: '' })
  return lines.flatMap((line) => reader?.read(line) ?? [])
}

function readHooks(agent: Agent, lines: readonly string[]): Event[] {
  const reader = new PayloadReader(agent)
  return lines.flatMap((line, at) => reader.read(line, { key: `recording.${at}`, at })?.events ?? [])
}

function describe(event: Event): string {
  if (event.type === 'tool_use') return `tool_use ${event.name}`
  return event.type === 'tool_result' ? `tool_result ${event.status}` : event.type
}

/**
 * How a reader differs on two recordings of one scenario; undefined if it reads the same. Order and repetition do not
 * count, since the model's chunks arrive in another rhythm each time.
 *
 * @example compareReadings(['text', 'done'], ['unknown', 'done']) // 'no longer reads text; reads unknown instead'
 */
export function compareReadings(before: readonly string[], now: readonly string[]): string | undefined {
  const lost = [...new Set(before)].filter((line) => !now.includes(line))
  const gained = [...new Set(now)].filter((line) => !before.includes(line))
  // An event that comes in addition is no failure, unless it is one that our reader does not know.
  const isUnknown = gained.includes('unknown')
  if (lost.length === 0 && !isUnknown) return undefined
  const instead = isUnknown || lost.length > 0 ? gained : []
  return [
    ...(lost.length > 0 ? [`no longer reads ${lost.join(', ')}`] : []),
    ...(instead.length > 0 ? [`reads ${instead.join(', ')}${lost.length > 0 ? ' instead' : ''}`] : []),
  ].join('; ')
}
