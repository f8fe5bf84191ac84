import type { Answer, NativeCall } from '../answer.ts'
import type { Conversation, Entry } from '../conversation.ts'
import { contentText, isObject, listOf, objectOf, textOf, type LooseObject } from '../loose-json.ts'
import { declaredTools, error, models } from './openai.ts'
import { chunk, type Frame, type RequestHead, type Route, type Wire } from './wire.ts'

/** OpenAI's Responses. */
export const responses: Wire = {
  name: 'responses',
  route,
  read,
  stream,
  whole: (answer) => finished(answer, outputOf(answer)),
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
  const request = objectOf(body)
  const input = request['input']
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  const schema = objectOf(objectOf(request['text'])['format'])['schema']
  // Models of codex's catalogue get their tools as an item of the input.
  const additional = items.filter((item) => item['type'] === 'additional_tools')
  return {
    model: textOf(request['model']) || 'model',
    stream: request['stream'] === true,
    system: [
      textOf(request['instructions']),
      ...items.filter(isInstruction).map((item) => contentText(item['content'])),
    ].join('\n'),
    entries: items.filter((item) => !isInstruction(item)).flatMap(entriesOf),
    tools: [request, ...additional].flatMap((holder) => declaredTools(holder['tools'])),
    ...(isObject(schema) && { schema }),
  }
}

function isInstruction(item: LooseObject): boolean {
  return item['role'] === 'system' || item['role'] === 'developer'
}

function entriesOf(item: LooseObject): Entry[] {
  const type = textOf(item['type']) || 'message'
  if (type.endsWith('_call_output')) {
    const output = item['output']
    const content = isObject(output) ? contentText(output['content']) : contentText(output)
    return [{ from: 'tool', id: textOf(item['call_id']), content }]
  }
  if (type === 'additional_tools') return []
  if (type !== 'message' || item['role'] === 'assistant')
    return [{ from: 'model', text: contentText(item['content']) }]
  return [{ from: 'user', text: contentText(item['content']) }]
}

function stream(answer: Answer): Frame[] {
  const output = outputOf(answer)
  const started = { ...envelope(answer), status: 'in_progress', output: [] }
  const frames: Frame[] = [
    { data: { type: 'response.created', response: started } },
    { data: { type: 'response.in_progress', response: started } },
    ...output.flatMap((item, index) => [
      {
        data: {
          type: 'response.output_item.added',
          output_index: index,
          item: { ...item, ...emptyOf(item) },
        },
      },
      ...piecesOf(answer, item, index),
      // A tool call counts as one chunk: its arguments are sent whole.
      itemDone(item, index),
    ]),
  ]
  const response = finished(answer, output)
  frames.push({ data: { type: `response.${response['status'] as string}`, response } })
  return frames.map(({ data, ...frame }, index) => {
    const numbered = { ...(data as LooseObject), sequence_number: index }
    return { ...frame, event: textOf((data as LooseObject)['type']), data: numbered }
  })
}

function itemDone(item: LooseObject, index: number): Frame {
  const data = { type: 'response.output_item.done', output_index: index, item }
  return item['type'] === 'function_call' ? chunk(data) : { data }
}

function emptyOf(item: LooseObject): LooseObject {
  if (item['type'] === 'reasoning') return { summary: [] }
  if (item['type'] === 'function_call') return { arguments: '', status: 'in_progress' }
  return { content: [], status: 'in_progress' }
}

function piecesOf(answer: Answer, item: LooseObject, index: number): Frame[] {
  const place = { item_id: item['id'], output_index: index }
  if (item['type'] === 'reasoning') {
    return answer.thoughts.flatMap((text, part) => {
      const at = { ...place, summary_index: part }
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
      { data: { type: 'response.function_call_arguments.delta', ...place, delta: json } },
      { data: { type: 'response.function_call_arguments.done', ...place, arguments: json } },
    ]
  }
  const at = { ...place, content_index: 0 }
  const text = answer.texts.join('')
  return [
    { data: { type: 'response.content_part.added', ...at, part: textPart('') } },
    ...answer.texts.map((delta) => chunk({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { data: { type: 'response.output_text.done', ...at, text, logprobs: [] } },
    { data: { type: 'response.content_part.done', ...at, part: textPart(text) } },
  ]
}

function outputOf(answer: Answer): LooseObject[] {
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
