import { parseJson } from '@remora/protocol/plain'
import type { Answered, Glance } from '../../contract/agent.ts'
import { parseTime } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'
import { messageUsage } from './content.ts'

/** What an answer cost stands near the end of its line, whatever its length. */
const endLength = 1000

/**
 * Most of a file is output of tools, and most of the rest is blocks of answers with what each answer cost. Quotes inside
 * a text are escaped, so that none of the marks below can stand in one.
 */
export const glance: Glance = {
  skips: (beginning) => beginning.includes('"type":"tool_result"') || beginning.includes('"attachment":{'),
  answer,
}

/** An answer of the model, unless it is a sub-agent's or the CLI's own. */
function answer(line: Buffer, beginning: string): Answered | undefined {
  const from = beginning.indexOf('"message":{')
  const to = beginning.indexOf('"content":[', from)
  if (from === -1 || to === -1 || !beginning.includes('"isSidechain":false')) return undefined
  const entity = textAt(line, beginning, '"id":"', from, to)
  const model = textAt(line, beginning, '"model":"', from, to)
  if (entity === undefined || model === undefined || model.startsWith('<')) return undefined
  const end = line.toString('latin1', Math.max(to, line.length - endLength))
  const cost = end.lastIndexOf('"usage":{')
  const time = end.indexOf('"timestamp":"', cost)
  if (cost === -1 || time === -1 || end.includes('"isApiErrorMessage"', cost)) return undefined
  const at = parseTime(end.slice(time + 13, time + 37))
  const usage = objectAt(end, cost + 8)
  return at === undefined || !usage ? undefined : { entity, at, model, usage: messageUsage(usage) }
}

/** The text behind a mark. Taken from the bytes, since a piece of a string would keep the whole of it in memory. */
function textAt(line: Buffer, text: string, mark: string, from: number, to: number): string | undefined {
  const place = text.indexOf(mark, from)
  const start = place + mark.length
  return place === -1 || place > to ? undefined : line.toString('latin1', start, text.indexOf('"', start))
}

/** The object that begins at a place, if it is whole and has no braces in its texts. */
function objectAt(text: string, from: number) {
  let depth = 0
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 123) depth++
    else if (code === 125 && --depth === 0) return parse(text.slice(from, index + 1))
  }
  return undefined
}

function parse(text: string) {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined
  }
}
