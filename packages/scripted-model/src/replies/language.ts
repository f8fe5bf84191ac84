import type { Position } from './conversation.ts'
import { isObject } from './loose-json.ts'
import type { Fault, Reply, Scenario, ToolCall } from './scenario.ts'
import { getScenarioReply } from './scenario-reply.ts'

/** The default language: without a scenario, directives in the user's last prompt decide what the model does. */
export function createReply(position: Position, known: Scenario[]): Reply {
  const prompt = position.prompts.at(-1) ?? ''
  const inScenario = namedScenario(position, known)
  if (inScenario !== undefined) return inScenario
  const reply = directives(prompt)
  if (position.reply === 0) return reply
  if (position.fresh.length === 0) return { text: 'Done.' }
  return { text: `Done: ${position.fresh.map(({ content }) => excerpt(content)).join(' | ')}` }
}

// A scenario named by an earlier prompt continues until its last turn.
function namedScenario(position: Position, known: Scenario[]): Reply | undefined {
  const start = position.prompts.findLastIndex((prompt) => scenarioLine.test(prompt))
  if (start === -1) return undefined
  const name = scenarioLine.exec(position.prompts[start] ?? '')?.[1] ?? ''
  const turn = position.prompts.length - 1 - start
  const scenario = known.find((candidate) => candidate.name === name)
  if (scenario !== undefined)
    return turn < scenario.turns.length ? getScenarioReply(scenario, turn, position) : undefined
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
    const tool = parseTool(word, rest)
    if (tool !== undefined) tools.push(tool)
    else if (word === 'SAY') texts.push(rest)
    else if (word === 'SLOW') slow = Number(rest) || 500
    else if (word === 'THINK') (reply.thoughts ??= []).push(parseThought(rest))
    else if (word === 'FAULT') Object.assign(reply, parseFault(rest))
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

function parseTool(word: string | undefined, rest: string): ToolCall | undefined {
  const [, first = '', more = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? []
  if (first === '') return undefined
  if (word === 'RUN') return { name: 'Bash', input: { command: rest } }
  if (word === 'READ') return { name: 'Read', input: { file_path: first } }
  if (word === 'WRITE') return { name: 'Write', input: { file_path: first, content: `${more}\n` } }
  // Agents spell the names of MCP tools differently; other names are native names of the agent.
  if (word === 'CALL')
    return { ...(first.startsWith('mcp__') ? { name: first } : { native: first }), input: parseInput(more) }
  if (word !== 'EDIT') return undefined
  const [old = '', replacement = ''] = more.split(/ *=> */)
  return { name: 'Edit', input: { file_path: first, old_string: old, new_string: replacement } }
}

// Invalid JSON must not break the turn: the tool then reports the missing fields.
function parseInput(json: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(json === '' ? '{}' : json)
    return isObject(input) ? input : { input }
  } catch {
    return { input: json }
  }
}

function parseThought(rest: string): { subject: string; description: string } {
  const [subject = '', ...description] = rest.split(/: */)
  return { subject, description: description.join(': ') }
}

/** `FAULT: 503 1` fails once; also accepts the kinds of a scenario's fault, `quota`, `safety` and `length`. */
function parseFault(rest: string): Pick<Reply, 'fault' | 'stop'> {
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
