import { isObject } from './loose-json.ts'
import type { Scenario } from './scenario.ts'

/**
 * Validates a scenario; throws an error that names the invalid field and the file.
 *
 * @example
 * const scenario = checkScenario(JSON.parse(text), 'my-scenario.json')
 */
export function checkScenario(value: unknown, source = 'scenario'): Scenario {
  const root = object(value, source, '', ['name', 'title', 'prompt', 'mode', 'turns'])
  for (const field of ['name', 'title', 'prompt']) string(root[field], source, field)
  if (root['mode'] !== undefined) oneOf(root['mode'], modes, source, 'mode')
  for (const [turn, replies] of list(root['turns'], source, 'turns').entries()) {
    const at = `turns[${String(turn)}]`
    for (const [index, reply] of list(replies, source, at).entries())
      checkReply(reply, source, `${at}[${String(index)}]`)
  }
  return value as Scenario
}

const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions']
const statuses = [400, 401, 403, 404, 429, 500, 503]

function checkReply(value: unknown, source: string, at: string): void {
  const reply = object(value, source, at, ['thoughts', 'text', 'tools', 'usage', 'delayMs', 'fault', 'stop'])
  const { thoughts, text, tools, usage, delayMs, fault, stop } = reply
  if (Array.isArray(text))
    text.forEach((piece, index) => string(piece, source, `${at}.text[${String(index)}]`))
  else if (text !== undefined) string(text, source, `${at}.text`)
  if (thoughts !== undefined) each(thoughts, source, `${at}.thoughts`, checkThought)
  if (tools !== undefined) each(tools, source, `${at}.tools`, checkTool)
  if (usage !== undefined) {
    const counts = object(usage, source, `${at}.usage`, ['input', 'output', 'cached', 'thought'])
    for (const [name, count] of Object.entries(counts)) number(count, source, `${at}.usage.${name}`)
  }
  if (delayMs !== undefined) number(delayMs, source, `${at}.delayMs`)
  if (fault !== undefined) checkFault(fault, source, `${at}.fault`)
  if (stop !== undefined) oneOf(stop, ['safety', 'length'], source, `${at}.stop`)
}

function checkThought(value: unknown, source: string, at: string): void {
  const thought = object(value, source, at, ['subject', 'description'])
  string(thought['subject'], source, `${at}.subject`)
  string(thought['description'], source, `${at}.description`)
}

function checkTool(value: unknown, source: string, at: string): void {
  const call = object(value, source, at, ['name', 'native', 'input'])
  const name = 'native' in call ? 'native' : 'name'
  if ('native' in call && 'name' in call) fail(source, at, 'has name or native, not both')
  string(call[name], source, `${at}.${name}`)
  if (!isObject(call['input'])) fail(source, `${at}.input`, 'must be an object')
}

function checkFault(value: unknown, source: string, at: string): void {
  const fault = object(value, source, at, ['kind', 'status', 'quota', 'times', 'afterChunks'])
  oneOf(fault['kind'], ['status', 'cut', 'silence', 'empty'], source, `${at}.kind`)
  if (fault['kind'] === 'status') oneOf(fault['status'], statuses, source, `${at}.status`)
  for (const name of ['times', 'afterChunks']) {
    if (fault[name] !== undefined) number(fault[name], source, `${at}.${name}`)
  }
}

function each(
  value: unknown,
  source: string,
  at: string,
  check: (item: unknown, source: string, at: string) => void,
): void {
  for (const [index, item] of list(value, source, at).entries())
    check(item, source, `${at}[${String(index)}]`)
}

function object(value: unknown, source: string, at: string, fields: string[]): Record<string, unknown> {
  if (!isObject(value)) return fail(source, at, 'must be an object')
  const unknown = Object.keys(value).find((key) => !fields.includes(key))
  // Otherwise a misspelt field would silently change the scenario.
  if (unknown !== undefined) fail(source, at, `has no field ${unknown}; it may have ${fields.join(', ')}`)
  return value
}

function list(value: unknown, source: string, at: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0) return fail(source, at, 'must be a list that is not empty')
  return value
}

function string(value: unknown, source: string, at: string): void {
  if (typeof value !== 'string' || value === '') fail(source, at, 'must be text that is not empty')
}

function number(value: unknown, source: string, at: string): void {
  if (!Number.isInteger(value) || (value as number) < 0)
    fail(source, at, 'must be a whole number, zero or more')
}

function oneOf(value: unknown, values: unknown[], source: string, at: string): void {
  if (!values.includes(value)) fail(source, at, `must be one of ${values.join(', ')}`)
}

function fail(source: string, at: string, what: string): never {
  throw new Error(`${source}: ${at === '' ? 'it' : at} ${what}.`)
}
