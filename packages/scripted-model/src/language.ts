import type { Place } from './conversation.ts'
import { isObject } from './loose-json.ts'
import type { Fault, Reply, Scenario, ToolCall } from './scenario.ts'
import { scenarioReply } from './scenario-reply.ts'

/** The default language: with no scenario set, the lines of the person's last prompt say what the model does. */
export function repliesFor(place: Place, known: Scenario[]): Reply {
  const prompt = place.prompts.at(-1) ?? ''
  const inScenario = namedScenario(place, known)
  if (inScenario !== undefined) return inScenario
  const reply = directives(prompt)
  if (place.reply === 0) return reply
  if (place.fresh.length === 0) return { text: 'Done.' }
  return { text: `Done: ${place.fresh.map(({ content }) => excerpt(content)).join(' | ')}` }
}

// A scenario that was named by an earlier prompt goes on until its turns are used up.
function namedScenario(place: Place, known: Scenario[]): Reply | undefined {
  const start = place.prompts.findLastIndex((prompt) => scenarioLine.test(prompt))
  if (start === -1) return undefined
  const name = scenarioLine.exec(place.prompts[start] ?? '')?.[1] ?? ''
  const turn = place.prompts.length - 1 - start
  const scenario = known.find((candidate) => candidate.name === name)
  if (scenario !== undefined)
    return turn < scenario.turns.length ? scenarioReply(scenario, turn, place) : undefined
  const names = known.map((candidate) => candidate.name).join(', ')
  return turn === 0 ? { text: `No scenario is called ${name}. There are: ${names}.` } : undefined
}

const scenarioLine = /^SCENARIO: *(\S+)/m

const help =
  'I am a scripted model. Tell me, one per line: RUN: command, WRITE: path text, READ: path, EDIT: path old => new, ' +
  'CALL: tool {json}, THINK: subject: description, SAY: text, SLOW milliseconds, FAULT: 429, SCENARIO: name.'

function directives(prompt: string): Reply {
  const reply: Reply = {}
  const texts: string[] = []
  const tools: ToolCall[] = []
  let slow: number | undefined
  for (const line of prompt.split('\n')) {
    const [, word, rest = ''] = /^\s*([A-Z]+):?(?:\s+(.*))?$/.exec(line) ?? []
    const tool = toolOf(word, rest)
    if (tool !== undefined) tools.push(tool)
    else if (word === 'SAY') texts.push(rest)
    else if (word === 'SLOW') slow = Number(rest) || 500
    else if (word === 'THINK') (reply.thoughts ??= []).push(thoughtOf(rest))
    else if (word === 'FAULT') Object.assign(reply, faultOf(rest))
  }
  if (tools.length > 0) reply.tools = tools
  if (texts.length > 0) reply.text = texts.join('\n')
  else if (tools.length === 0 && reply.fault?.kind !== 'empty') reply.text = help
  if (slow !== undefined) {
    reply.delayMs = slow
    if (typeof reply.text === 'string') reply.text = reply.text.match(/\S+\s*/g) ?? []
  }
  return reply
}

function toolOf(word: string | undefined, rest: string): ToolCall | undefined {
  const [, first = '', more = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? []
  if (first === '') return undefined
  if (word === 'RUN') return { name: 'Bash', input: { command: rest } }
  if (word === 'READ') return { name: 'Read', input: { file_path: first } }
  if (word === 'WRITE') return { name: 'Write', input: { file_path: first, content: `${more}\n` } }
  // Each agent spells the name of an MCP tool in its own way; other names are the agent's own.
  if (word === 'CALL')
    return { ...(first.startsWith('mcp__') ? { name: first } : { native: first }), input: inputOf(more) }
  if (word !== 'EDIT') return undefined
  const [old = '', replacement = ''] = more.split(/ *=> */)
  return { name: 'Edit', input: { file_path: first, old_string: old, new_string: replacement } }
}

// A person's typing error must not break the turn: the tool then says itself what is missing.
function inputOf(json: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(json === '' ? '{}' : json)
    return isObject(input) ? input : { input }
  } catch {
    return { input: json }
  }
}

function thoughtOf(rest: string): { subject: string; description: string } {
  const [subject = '', ...description] = rest.split(/: */)
  return { subject, description: description.join(': ') }
}

/** `FAULT: 503 1` fails once; the words are the kinds of a scenario's fault, and `quota`, `safety` and `length`. */
function faultOf(rest: string): Pick<Reply, 'fault' | 'stop'> {
  const [kind = '', count] = rest.trim().split(/\s+/)
  const times = count === undefined ? {} : { times: Number(count) || 1 }
  if (kind === 'safety' || kind === 'length') return { stop: kind }
  if (kind === 'quota') return { fault: { kind: 'status', status: 429, quota: true, ...times } }
  if (kind === 'cut' || kind === 'silence' || kind === 'empty') return { fault: { kind, ...times } }
  const status = Number(kind) as Extract<Fault, { kind: 'status' }>['status']
  return [400, 401, 403, 404, 429, 500, 503].includes(status)
    ? { fault: { kind: 'status', status, ...times } }
    : {}
}

function excerpt(content: string): string {
  const line = content.trim().replaceAll(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
