import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { chooseReply } from './choose-reply.ts'
import { answerFor } from './answer.ts'
import { placeOf, type Conversation, type Place } from './conversation.ts'
import type { LoggedRequest } from './log.ts'
import type { Fault, Reply, Scenario } from './scenario.ts'
import { kindOf, sideReply } from './side-calls.ts'
import { type Hold, untilGone, writeAnswer, writeJson } from './write-answer.ts'
import { anthropic } from './wires/anthropic.ts'
import { chat } from './wires/chat.ts'
import { gemini } from './wires/gemini.ts'
import { responses } from './wires/responses.ts'
import type { RequestHead, Route, Wire } from './wires/wire.ts'

/** What the server knows while it runs. */
export interface Desk {
  scenario: Scenario | undefined
  scenarios: Scenario[]
  /** How often a fault that ends after some attempts has happened. */
  attempts: Map<string, number>
  hold: Hold | undefined
  requests: LoggedRequest[]
  logged(request: LoggedRequest): void
}

const wires: Wire[] = [gemini, anthropic, chat, responses]

export async function handleRequest(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const head = headOf(request)
  const body = parsed(await bodyOf(request), head.headers['content-encoding'])
  const [wire, route] = routed(head)
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
    desk.logged(log)
    return answerPlainly(wire, route, head, body, response)
  }
  const conversation = wire.read(body, head)
  const place = placeOf(conversation.entries)
  describe(log, conversation, place)
  log.kind = kindOf(conversation, place)
  const isTurn = log.kind === 'turn'
  const reply = isTurn ? chooseReply(desk.scenario, desk.scenarios, place) : sideReply(log.kind, conversation)
  log.reply = reply
  desk.logged(log)
  await answer(desk, { wire, conversation, place, head, reply }, response, closing)
}

interface Call {
  wire: Wire
  conversation: Conversation
  place: Place
  head: RequestHead
  reply: Reply
}

async function answer(desk: Desk, call: Call, response: ServerResponse, closing: AbortSignal): Promise<void> {
  const { wire, conversation, place, head, reply } = call
  const fault = faultNow(desk, reply.fault, place)
  const { fault: _settled, ...sound } = reply
  const current: Reply = fault === undefined ? sound : { ...sound, fault }
  if (fault?.kind === 'silence') return untilGone(response, closing)
  if (fault?.kind === 'status') {
    return writeJson(
      response,
      fault.status,
      wire.error(fault.status, fault.quota === true, conversation.model),
    )
  }
  const ready = answerFor(current, wire.name, conversation, place)
  if (!conversation.stream) {
    if (fault?.kind === 'cut') return void response.destroy()
    return writeJson(response, 200, wire.whole(ready))
  }
  // Without alt=sse Gemini streams one JSON array.
  const array = wire.name === 'gemini' && head.query.get('alt') !== 'sse'
  const cutAfter = fault?.kind === 'cut' ? (fault.afterChunks ?? 1) : undefined
  const { hold } = desk
  const delayMs = reply.delayMs ?? 0
  await writeAnswer(response, wire.stream(ready), { array, cutAfter, delayMs, hold, closing })
}

// The one thing that a request's history cannot tell: how often this very request was refused.
function faultNow(desk: Desk, fault: Fault | undefined, place: Place): Fault | undefined {
  if (fault?.times === undefined) return fault
  const key = JSON.stringify([place.prompts, place.reply])
  const attempt = (desk.attempts.get(key) ?? 0) + 1
  desk.attempts.set(key, attempt)
  return attempt <= fault.times ? fault : undefined
}

function describe(log: LoggedRequest, conversation: Conversation, place: Place): void {
  log.model = conversation.model
  log.tools = conversation.tools.map((tool) => tool.name)
  log.toolResults = conversation.entries.flatMap((entry) =>
    entry.from === 'tool' ? [{ id: entry.id, content: entry.content }] : [],
  )
  // After a compaction the older ones are unknown.
  const prompt = place.prompts.findLast((words) => words !== '')
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
  // Claude looks whether anybody is there before it speaks.
  if (head.path === '/') return writeJson(response, 200, { status: 'ok' })
  const message = `The scripted model does not know ${head.method} ${head.path}.`
  writeJson(response, 404, { error: { code: 404, message, status: 'NOT_FOUND' } })
}

function routed(head: RequestHead): [Wire | undefined, Route | undefined] {
  for (const wire of wires) {
    const route = wire.route(head)
    if (route !== undefined) return [wire, route]
  }
  return [undefined, undefined]
}

function headOf(request: IncomingMessage): RequestHead {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  return { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, headers }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function parsed(body: Buffer, encoding: string | undefined): unknown {
  if (body.length === 0) return undefined
  const text = decoded(body, encoding).toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'gzip') return gunzipSync(body)
  if (encoding === 'br') return brotliDecompressSync(body)
  return encoding === 'deflate' ? inflateSync(body) : body
}
