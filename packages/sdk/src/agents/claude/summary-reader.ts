import { parseJson } from '@remora/protocol/plain'
import type { Answered, SummaryReader } from '../../contract/agent.ts'
import { parseTime } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'
import { toMessageUsage } from '../../dialects/claude-content.ts'

/** The usage of an answer is within this many bytes of the end of its line. */
const endLength = 1000

/**
 * Skips tool output, which is most of a file, and reads usage from answers without parsing the whole line. Quotes inside
 * a text are escaped, so none of the marks below can occur in one.
 */
export const summaryReader: SummaryReader = {
  skips: (beginning) => beginning.includes('"type":"tool_result"') || beginning.includes('"attachment":{'),
  readLine: readAnswer,
}

/** Reads an answer of the model, unless it is written by a sub-agent or by the CLI itself. */
function readAnswer(line: Buffer, beginning: string): Answered | undefined {
  const from = beginning.indexOf('"message":{')
  const to = beginning.indexOf('"content":[', from)
  if (from === -1 || to === -1 || !beginning.includes('"isSidechain":false')) return undefined
  const entity = readTextAfter(line, beginning, '"id":"', from, to)
  const model = readTextAfter(line, beginning, '"model":"', from, to)
  if (entity === undefined || model === undefined || model.startsWith('<')) return undefined
  const end = line.toString('latin1', Math.max(to, line.length - endLength))
  const cost = end.lastIndexOf('"usage":{')
  const time = end.indexOf('"timestamp":"', cost)
  if (cost === -1 || time === -1 || end.includes('"isApiErrorMessage"', cost)) return undefined
  const at = parseTime(end.slice(time + 13, time + 37))
  const usage = parseObjectAt(end, cost + 8)
  return at === undefined || !usage ? undefined : { entity, at, model, usage: toMessageUsage(usage) }
}

/** The text after a mark. It is read from the bytes, since a substring would keep the whole line in memory. */
function readTextAfter(
  line: Buffer,
  text: string,
  mark: string,
  from: number,
  to: number,
): string | undefined {
  const at = text.indexOf(mark, from)
  const start = at + mark.length
  return at === -1 || at > to ? undefined : line.toString('latin1', start, text.indexOf('"', start))
}

/** The object that starts at an index, if it is complete and has no braces in its texts. */
function parseObjectAt(text: string, from: number) {
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
