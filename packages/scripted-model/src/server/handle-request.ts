import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { createReply } from '../replies/language.ts'
import { getScenarioReply } from '../replies/scenario-reply.ts'
import { createAnswer } from '../replies/answer.ts'
import { findPosition, type Conversation, type Position } from '../replies/conversation.ts'
import type { LoggedRequest } from '../replies/log.ts'
import type { Fault, Reply, Scenario } from '../replies/scenario.ts'
import { classifyRequest, createSideReply } from '../replies/side-calls.ts'
import { type Hold, waitForClose, writeAnswer, writeJson } from './write-answer.ts'
import { anthropic } from '../wires/anthropic.ts'
import { chat } from '../wires/chat.ts'
import { gemini } from '../wires/gemini.ts'
import { responses } from '../wires/responses.ts'
import type { RequestHead, Route, Wire } from '../wires/wire.ts'

/** The state of a running server. */
export interface ServerState {
  scenario: Scenario | undefined
  scenarios: Scenario[]
  /** How often each fault with limited attempts has occurred. */
  attempts: Map<string, number>
  hold: Hold | undefined
  requests: LoggedRequest[]
  logged(request: LoggedRequest): void
}

const wires: Wire[] = [gemini, anthropic, chat, responses]

export async function handleRequest(
  state: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const head = readHead(request)
  const body = parseBody(await readBody(request), head.headers['content-encoding'])
  const [wire, route] = findRoute(head)
  const log: LoggedRequest = {
    at: Date.now(),
    wire: wire?.name ?? 'other',
    kind: route ?? 'other',
    method: head.method,
    path: request.url ?? head.path,
    headers: head.headers,
    body,
    tools: [],
    toolResults: [],
  }
  if (wire === undefined || route !== 'turn') {
    state.logged(log)
    return answerPlainly(wire, route, head, body, response)
  }
  const conversation = wire.read(body, head)
  const position = findPosition(conversation.entries)
  describe(log, conversation, position)
  log.kind = classifyRequest(conversation, position)
  const reply = log.kind === 'turn' ? chooseReply(state, position) : createSideReply(log.kind, conversation)
  log.reply = reply
  state.logged(log)
  await answer(state, { wire, conversation, position, head, reply }, response, closing)
}

/** The reply of the scenario, or the one that the user's prompt asks for. */
function chooseReply({ scenario, scenarios }: ServerState, position: Position): Reply {
  if (scenario === undefined) return createReply(position, scenarios)
  return getScenarioReply(scenario, position.prompts.length - 1, position)
}

interface Call {
  wire: Wire
  conversation: Conversation
  position: Position
  head: RequestHead
  reply: Reply
}

async function answer(
  state: ServerState,
  call: Call,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const { wire, conversation, position, head, reply } = call
  const fault = faultNow(state, reply.fault, position)
  const { fault: _settled, ...sound } = reply
  const current: Reply = fault === undefined ? sound : { ...sound, fault }
  if (fault?.kind === 'silence') return waitForClose(response, closing)
  if (fault?.kind === 'status') {
    return writeJson(
      response,
      fault.status,
      wire.error(fault.status, fault.quota === true, conversation.model),
    )
  }
  const ready = createAnswer(current, wire.name, conversation, position)
  if (!conversation.stream) {
    if (fault?.kind === 'cut') return void response.destroy()
    return writeJson(response, 200, wire.whole(ready))
  }
  // Without alt=sse Gemini streams one JSON array.
  const array = wire.name === 'gemini' && head.query.get('alt') !== 'sse'
  const cutAfter = fault?.kind === 'cut' ? (fault.afterChunks ?? 1) : undefined
  const { hold } = state
  const delayMs = reply.delayMs ?? 0
  await writeAnswer(response, wire.stream(ready), { array, cutAfter, delayMs, hold, closing })
}

// The history of a request does not show how often the same request was refused before.
function faultNow(state: ServerState, fault: Fault | undefined, position: Position): Fault | undefined {
  if (fault?.times === undefined) return fault
  const key = JSON.stringify([position.prompts, position.reply])
  const attempt = (state.attempts.get(key) ?? 0) + 1
  state.attempts.set(key, attempt)
  return attempt <= fault.times ? fault : undefined
}

function describe(log: LoggedRequest, conversation: Conversation, position: Position): void {
  log.model = conversation.model
  log.tools = conversation.tools.map((tool) => tool.name)
  log.toolResults = conversation.entries.flatMap((entry) =>
    entry.from === 'tool' ? [{ id: entry.id, content: entry.content }] : [],
  )
  // After a compaction the older prompts are unknown.
  const prompt = position.prompts.findLast((text) => text !== '')
  if (prompt !== undefined) log.prompt = prompt
}

function answerPlainly(
  wire: Wire | undefined,
  route: Route | undefined,
  head: RequestHead,
  body: unknown,
  response: ServerResponse,
): void {
  if (wire !== undefined && route === 'models') return writeJson(response, 200, wire.models())
  if (wire !== undefined && route === 'count') {
    return writeJson(response, 200, wire.count(Math.ceil(JSON.stringify(body ?? '').length / 4)))
  }
  // Claude checks that the server is reachable first.
  if (head.path === '/') return writeJson(response, 200, { status: 'ok' })
  const message = `The scripted model does not know ${head.method} ${head.path}.`
  writeJson(response, 404, { error: { code: 404, message, status: 'NOT_FOUND' } })
}

function findRoute(head: RequestHead): [Wire | undefined, Route | undefined] {
  for (const wire of wires) {
    const route = wire.route(head)
    if (route !== undefined) return [wire, route]
  }
  return [undefined, undefined]
}

function readHead(request: IncomingMessage): RequestHead {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  return { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, headers }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function parseBody(body: Buffer, encoding: string | undefined): unknown {
  if (body.length === 0) return undefined
  const text = decompress(body, encoding).toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function decompress(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(body)
  if (encoding === 'br') return brotliDecompressSync(body)
  return encoding === 'deflate' ? inflateSync(body) : body
}
