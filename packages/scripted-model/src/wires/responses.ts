import type { Answer, NativeCall } from '../replies/answer.ts'
import type { Conversation, Entry } from '../replies/conversation.ts'
import {
  contentText,
  isObject,
  toObjects,
  toObject,
  toText,
  type LooseObject,
} from '../replies/loose-json.ts'
import { declaredTools, error, models } from './openai.ts'
import { chunk, type Frame, type RequestHead, type Route, type Wire } from './wire.ts'

/** OpenAI's Responses API. */
export const responses: Wire = {
  name: 'responses',
  route,
  read,
  stream,
  whole: (answer) => finished(answer, toOutput(answer)),
  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  models,
  error,
}

function route({ method, path }: RequestHead): Route | undefined {
  if (method === 'GET' && /^(\/v1)?\/models$/.test(path)) return 'models'
  if (method !== 'POST') return undefined
  if (/^(\/v1)?\/responses$/.test(path)) return 'turn'
  return /^(\/v1)?\/responses\/input_tokens$/.test(path) ? 'count' : undefined
}

function read(body: unknown): Conversation {
  const request = toObject(body)
  const input = request['input']
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : toObjects(input)
  const schema = toObject(toObject(request['text'])['format'])['schema']
  // For models of its catalogue, Codex sends the tools as an item of the input.
  const additional = items.filter((item) => item['type'] === 'additional_tools')
  return {
    model: toText(request['model']) || 'model',
    stream: request['stream'] === true,
    system: [
      toText(request['instructions']),
      ...items.filter(isInstruction).map((item) => contentText(item['content'])),
    ].join('\n'),
    entries: items.filter((item) => !isInstruction(item)).flatMap(toEntries),
    tools: [request, ...additional].flatMap((holder) => declaredTools(holder['tools'])),
    ...(isObject(schema) && { schema }),
  }
}

function isInstruction(item: LooseObject): boolean {
  return item['role'] === 'system' || item['role'] === 'developer'
}

function toEntries(item: LooseObject): Entry[] {
  const type = toText(item['type']) || 'message'
  if (type.endsWith('_call_output')) {
    const output = item['output']
    const content = isObject(output) ? contentText(output['content']) : contentText(output)
    return [{ from: 'tool', id: toText(item['call_id']), content }]
  }
  if (type === 'additional_tools') return []
  if (type !== 'message' || item['role'] === 'assistant')
    return [{ from: 'model', text: contentText(item['content']) }]
  return [{ from: 'user', text: contentText(item['content']) }]
}

function stream(answer: Answer): Frame[] {
  const output = toOutput(answer)
  const started = { ...envelope(answer), status: 'in_progress', output: [] }
  const frames: Frame[] = [
    { data: { type: 'response.created', response: started } },
    { data: { type: 'response.in_progress', response: started } },
    ...output.flatMap((item, index) => [
      {
        data: {
          type: 'response.output_item.added',
          output_index: index,
          item: { ...item, ...emptyItem(item) },
        },
      },
      ...toFrames(answer, item, index),
      // A tool call counts as one chunk: its arguments are sent whole.
      itemDone(item, index),
    ]),
  ]
  const response = finished(answer, output)
  frames.push({ data: { type: `response.${response['status'] as string}`, response } })
  return frames.map(({ data, ...frame }, index) => {
    const numbered = { ...(data as LooseObject), sequence_number: index }
    return { ...frame, event: toText((data as LooseObject)['type']), data: numbered }
  })
}

function itemDone(item: LooseObject, index: number): Frame {
  const data = { type: 'response.output_item.done', output_index: index, item }
  return item['type'] === 'function_call' ? chunk(data) : { data }
}

function emptyItem(item: LooseObject): LooseObject {
  if (item['type'] === 'reasoning') return { summary: [] }
  if (item['type'] === 'function_call') return { arguments: '', status: 'in_progress' }
  return { content: [], status: 'in_progress' }
}

function toFrames(answer: Answer, item: LooseObject, index: number): Frame[] {
  const position = { item_id: item['id'], output_index: index }
  if (item['type'] === 'reasoning') {
    return answer.thoughts.flatMap((text, part) => {
      const at = { ...position, summary_index: part }
      const whole = { type: 'summary_text', text }
      return [
        { data: { type: 'response.reasoning_summary_part.added', ...at, part: { ...whole, text: '' } } },
        chunk({ type: 'response.reasoning_summary_text.delta', ...at, delta: text }),
        { data: { type: 'response.reasoning_summary_text.done', ...at, text } },
        { data: { type: 'response.reasoning_summary_part.done', ...at, part: whole } },
      ]
    })
  }
  if (item['type'] === 'function_call') {
    const json = item['arguments']
    return [
      { data: { type: 'response.function_call_arguments.delta', ...position, delta: json } },
      { data: { type: 'response.function_call_arguments.done', ...position, arguments: json } },
    ]
  }
  const at = { ...position, content_index: 0 }
  const text = answer.texts.join('')
  return [
    { data: { type: 'response.content_part.added', ...at, part: textPart('') } },
    ...answer.texts.map((delta) => chunk({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { data: { type: 'response.output_text.done', ...at, text, logprobs: [] } },
    { data: { type: 'response.content_part.done', ...at, part: textPart(text) } },
  ]
}

function toOutput(answer: Answer): LooseObject[] {
  const summary = answer.thoughts.map((text) => ({ type: 'summary_text', text }))
  const text = answer.texts.join('')
  return [
    ...(summary.length > 0
      ? [{ type: 'reasoning', id: `rs_scripted_${answer.id}`, summary, encrypted_content: 'scripted' }]
      : []),
    ...(answer.texts.length > 0
      ? [
          {
            type: 'message',
            id: `msg_scripted_${answer.id}`,
            role: 'assistant',
            status: 'completed',
            content: [textPart(text)],
          },
        ]
      : []),
    ...answer.calls.map(callItem),
  ]
}

function textPart(text: string): LooseObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function callItem({ id, name, namespace, input }: NativeCall): LooseObject {
  return {
    type: 'function_call',
    id: `fc_scripted_${id}`,
    call_id: `call_scripted_${id}`,
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(input),
    status: 'completed',
  }
}

function envelope(answer: Answer): LooseObject {
  return {
    id: `resp_scripted_${answer.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    model: answer.model,
  }
}

function finished(answer: Answer, output: LooseObject[]): LooseObject {
  const { usage, stop } = answer
  const reason = { safety: 'content_filter', length: 'max_output_tokens', end: undefined, tools: undefined }[
    stop
  ]
  return {
    ...envelope(answer),
    status: reason === undefined ? 'completed' : 'incomplete',
    ...(reason !== undefined && { incomplete_details: { reason } }),
    error: null,
    output,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output + usage.thought,
      output_tokens_details: { reasoning_tokens: usage.thought },
      total_tokens: usage.input + usage.output + usage.thought,
    },
  }
}
