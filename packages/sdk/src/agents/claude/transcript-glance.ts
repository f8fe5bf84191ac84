import type { Glance } from '../../agent.ts'
import { timeOf } from '../../event-maker.ts'
import { fieldsOf } from '../../fields.ts'
import { messageUsage } from './content.ts'

// Quotes inside a text are escaped, so these cannot stand in one.
const head = /"message":\{"(?:id":"([^"]+)"|model":"([^"]+)").{0,200}?"content":\[/
const modelIn = /"model":"([^"<]+)"/
const idIn = /"id":"([^"]+)"/
const timeIn = /"timestamp":"([^"]+)"/

/** Most lines are output of tools, and most of the others are one block of an answer with what the answer cost. */
export function glance(beginning: string, end: string): Glance {
  if (beginning.includes('"type":"tool_result"') || beginning.includes('"attachment":{')) return 'skip'
  if (!end.includes('"type":"assistant"') || !beginning.includes('"isSidechain":false')) return 'read'
  if (end.includes('"isApiErrorMessage"') || end.includes('"error"')) return 'read'
  const message = head.exec(beginning)?.[0]
  const model = message === undefined ? undefined : modelIn.exec(message)?.[1]
  const entity = message === undefined ? undefined : idIn.exec(message)?.[1]
  const from = end.lastIndexOf('"usage":{')
  const at = timeOf(timeIn.exec(end)?.[1])
  if (model === undefined || entity === undefined || at === undefined || from === -1) return 'read'
  const usage = objectAt(end, from + '"usage":'.length)
  return usage ? { entity, at, model, usage: messageUsage(usage) } : 'read'
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
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
