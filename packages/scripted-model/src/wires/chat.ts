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

/** OpenAI's Chat Completions API, which most other services support too. */
export const chat: Wire = {
  name: 'chat',
  route: ({ method, path }: RequestHead): Route | undefined =>
    method === 'POST' && /^(\/v1)?\/chat\/completions$/.test(path) ? 'turn' : undefined,
  read,
  stream,
  whole,
  count: (tokens) => ({ tokens }),
  models,
  error,
}

function read(body: unknown): Conversation {
  const request = toObject(body)
  const messages = toObjects(request['messages'])
  const schema = toObject(toObject(request['response_format'])['json_schema'])['schema']
  const system = messages
    .filter(isInstruction)
    .map((message) => contentText(message['content']))
    .join('\n')
  // Qwen puts a prompt into the same message as the prompt before it, if that got no answer.
  const isSplit = /\bQwen Code\b/.test(system)
  return {
    model: toText(request['model']) || 'model',
    stream: request['stream'] === true,
    system,
    entries: messages
      .filter((message) => !isInstruction(message))
      .flatMap((message) => (isSplit ? splitParts(message) : [message]))
      .map(toEntry),
    tools: declaredTools(request['tools']),
    ...(isObject(schema) && { schema }),
  }
}

function isInstruction(message: LooseObject): boolean {
  return message['role'] === 'system' || message['role'] === 'developer'
}

function splitParts(message: LooseObject): LooseObject[] {
  const content = message['content']
  if (message['role'] !== 'user' || !Array.isArray(content)) return [message]
  const prompts: unknown[][] = [[]]
  for (const part of content as unknown[]) {
    const isText = (each: unknown) => toObject(each)['type'] === 'text'
    // Images belong to the text beside them.
    if (isText(part) && prompts.at(-1)!.some(isText)) prompts.push([])
    prompts.at(-1)!.push(part)
  }
  return prompts.map((parts) => ({ ...message, content: parts }))
}

function toEntry(message: LooseObject): Entry {
  const content = contentText(message['content'])
  if (message['role'] === 'assistant') return { from: 'model', text: content }
  if (message['role'] === 'tool') return { from: 'tool', id: toText(message['tool_call_id']), content }
  return { from: 'user', text: content }
}

const finishReasons = { end: 'stop', tools: 'tool_calls', safety: 'content_filter', length: 'length' }

function stream(answer: Answer): Frame[] {
  const part = (delta: LooseObject, finish: string | null = null): LooseObject => ({
    ...envelope(answer, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  return [
    { data: part({ role: 'assistant', content: '' }) },
    ...answer.thoughts.map((text) => chunk(part({ reasoning_content: text }))),
    ...answer.texts.map((content) => chunk(part({ content }))),
    ...answer.calls.map((call, index) => chunk(part({ tool_calls: [{ index, ...toolCall(call) }] }))),
    { data: part({}, finishReasons[answer.stop]) },
    { data: { ...envelope(answer, 'chat.completion.chunk'), choices: [], usage: countUsage(answer) } },
    { data: '[DONE]' },
  ]
}

function whole(answer: Answer): unknown {
  const message = {
    role: 'assistant',
    content: answer.texts.length > 0 ? answer.texts.join('') : null,
    ...(answer.thoughts.length > 0 && { reasoning_content: answer.thoughts.join('') }),
    ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(toolCall) }),
  }
  return {
    ...envelope(answer, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReasons[answer.stop] }],
    usage: countUsage(answer),
  }
}

function toolCall({ id, name, input }: NativeCall): LooseObject {
  return { id: `call_scripted_${id}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function envelope(answer: Answer, object: string): LooseObject {
  return { id: `chatcmpl-scripted-${answer.id}`, object, created: 1_700_000_000, model: answer.model }
}

function countUsage({ usage }: Answer): LooseObject {
  const completion = usage.output + usage.thought
  return {
    prompt_tokens: usage.input,
    completion_tokens: completion,
    total_tokens: usage.input + completion,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.thought },
  }
}
