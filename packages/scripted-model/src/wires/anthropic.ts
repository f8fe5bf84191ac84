import type { Answer, NativeCall } from '../replies/answer.ts'
import type { Conversation, DeclaredTool, Entry } from '../replies/conversation.ts'
import {
  contentText,
  isObject,
  toObjects,
  toObject,
  toText,
  type LooseObject,
} from '../replies/loose-json.ts'
import { chunk, type Frame, type RequestHead, type Route, type Wire } from './wire.ts'

/** Anthropic's Messages API. */
export const anthropic: Wire = {
  name: 'anthropic',
  route,
  read,
  stream,
  whole,
  count: (tokens) => ({ input_tokens: tokens }),
  models: () => ({
    data: ['claude-opus-4-8', 'claude-sonnet-4-6', 'claude-haiku-4-5'].map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
    })),
    has_more: false,
  }),
  error,
}

function route({ method, path, headers }: RequestHead): Route | undefined {
  if (method === 'POST' && path === '/v1/messages') return 'turn'
  if (method === 'POST' && path === '/v1/messages/count_tokens') return 'count'
  // OpenAI uses the same path; Anthropic's clients always send the version of the API.
  if (method === 'GET' && path === '/v1/models' && 'anthropic-version' in headers) return 'models'
  return undefined
}

function read(body: unknown): Conversation {
  const request = toObject(body)
  const format = toObject(request['output_format'] ?? toObject(request['output_config'])['format'])
  return {
    model: toText(request['model']) || 'claude',
    stream: request['stream'] === true,
    system: contentText(request['system']),
    entries: toObjects(request['messages']).flatMap(toEntries),
    tools: toObjects(request['tools']).map(declared),
    ...(isObject(format['schema']) && { schema: format['schema'] }),
  }
}

// Claude puts a tool result and the prompt after an interruption into one message, so each block becomes an entry.
function toEntries(message: LooseObject): Entry[] {
  if (message['role'] === 'assistant') return [{ from: 'model', text: contentText(message['content']) }]
  if (message['role'] === 'system') return []
  const content = message['content']
  if (typeof content === 'string') return [{ from: 'user', text: content }]
  return toObjects(content).flatMap((block): Entry[] => {
    if (block['type'] === 'text') return [{ from: 'user', text: toText(block['text']) }]
    if (block['type'] !== 'tool_result') return []
    return [{ from: 'tool', id: toText(block['tool_use_id']), content: contentText(block['content']) }]
  })
}

function declared(tool: LooseObject): DeclaredTool {
  const schema = toObject(tool['input_schema'])
  return { name: toText(tool['name']), parameters: Object.keys(toObject(schema['properties'])) }
}

const stopReasons = { end: 'end_turn', tools: 'tool_use', safety: 'refusal', length: 'max_tokens' }

function stream(answer: Answer): Frame[] {
  const { usage } = answer
  const started = {
    ...message(answer, []),
    stop_reason: null,
    usage: { ...inputUsage(answer), output_tokens: 1 },
  }
  const blocks = [
    ...(answer.thoughts.length > 0 ? [thinkingFrames(answer.thoughts)] : []),
    ...(answer.texts.length > 0 ? [textFrames(answer.texts)] : []),
    ...answer.calls.map(toolFrames),
  ]
  return [
    named({ type: 'message_start', message: started }),
    ...blocks.flatMap(({ block, deltas }, index) => [
      named({ type: 'content_block_start', index, content_block: block }),
      ...deltas.map((delta) => chunk({ type: 'content_block_delta', index, delta }, 'content_block_delta')),
      named({ type: 'content_block_stop', index }),
    ]),
    named({
      type: 'message_delta',
      delta: { stop_reason: stopReasons[answer.stop], stop_sequence: null },
      usage: { ...inputUsage(answer), output_tokens: usage.output + usage.thought },
    }),
    named({ type: 'message_stop' }),
  ]
}

function named(data: { type: string } & LooseObject): Frame {
  return { event: data.type, data }
}

interface Block {
  block: LooseObject
  deltas: LooseObject[]
}

const signature = Buffer.from('scripted').toString('base64')

function thinkingFrames(thoughts: string[]): Block {
  const deltas: LooseObject[] = thoughts.map((thinking) => ({ type: 'thinking_delta', thinking }))
  return {
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...deltas, { type: 'signature_delta', signature }],
  }
}

function textFrames(texts: string[]): Block {
  return { block: { type: 'text', text: '' }, deltas: texts.map((text) => ({ type: 'text_delta', text })) }
}

function toolFrames(call: NativeCall): Block {
  const json = JSON.stringify(call.input)
  // Split once, because the real service also splits inside words.
  const pieces = [json.slice(0, 7), json.slice(7)].filter((piece) => piece !== '')
  return {
    block: { ...toolBlock(call), input: {} },
    deltas: pieces.map((partial) => ({ type: 'input_json_delta', partial_json: partial })),
  }
}

function toolBlock({ id, name, input }: NativeCall): LooseObject {
  return { type: 'tool_use', id: `toolu_scripted_${id}`, name, input }
}

function whole(answer: Answer): unknown {
  const content = [
    ...(answer.thoughts.length > 0
      ? [{ type: 'thinking', thinking: answer.thoughts.join(''), signature }]
      : []),
    ...(answer.texts.length > 0 ? [{ type: 'text', text: answer.texts.join('') }] : []),
    ...answer.calls.map(toolBlock),
  ]
  const output = answer.usage.output + answer.usage.thought
  return { ...message(answer, content), usage: { ...inputUsage(answer), output_tokens: output } }
}

function message(answer: Answer, content: LooseObject[]): LooseObject {
  return {
    id: `msg_scripted_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_reason: stopReasons[answer.stop],
    stop_sequence: null,
  }
}

function inputUsage({ usage }: Answer): LooseObject {
  return {
    input_tokens: Math.max(0, usage.input - usage.cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
  }
}

const errors: Record<number, [type: string, message: string]> = {
  400: ['invalid_request_error', 'messages: at least one message is required'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: {model}'],
  429: ['rate_limit_error', 'This request would exceed the rate limit of your organization.'],
  500: ['api_error', 'Internal server error'],
  503: ['overloaded_error', 'Overloaded'],
}

function error(status: number, quota: boolean, model: string): unknown {
  const [type, text] = errors[status] ?? ['api_error', `Error ${String(status)}`]
  const message = quota ? 'You have reached your specified API usage limits.' : text.replace('{model}', model)
  return { type: 'error', error: { type, message }, request_id: 'req_scripted' }
}
