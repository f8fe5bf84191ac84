import type { Answer } from '../replies/answer.ts'
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

/** Google's generateContent API. */
export const gemini: Wire = {
  name: 'gemini',
  route,
  read,
  stream,
  whole,
  count: (tokens) => ({
    totalTokens: tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
  }),
  models: () => ({
    models: ['gemini-3-flash-preview', 'gemini-2.5-pro'].map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    })),
  }),
  error,
}

const modelPath = /^\/v1(?:beta|alpha)?(?:\d+)?\/(?:.*\/)?models\/([^/:]+):(\w+)$/

function route({ method, path }: RequestHead): Route | undefined {
  if (method === 'GET' && /^\/v1(beta|alpha)\/models$/.test(path)) return 'models'
  const verb = method === 'POST' ? modelPath.exec(path)?.[2] : undefined
  if (verb === 'streamGenerateContent' || verb === 'generateContent') return 'turn'
  return verb === 'countTokens' ? 'count' : undefined
}

function read(body: unknown, { path }: RequestHead): Conversation {
  const request = toObject(body)
  const config = toObject(request['generationConfig'])
  const schema = config['responseJsonSchema'] ?? config['responseSchema']
  return {
    model: modelPath.exec(path)?.[1] ?? 'gemini',
    stream: path.endsWith(':streamGenerateContent'),
    system: contentText(toObject(request['systemInstruction'])['parts']),
    entries: toObjects(request['contents']).flatMap(toEntries),
    tools: toObjects(request['tools']).flatMap((tool) =>
      toObjects(tool['functionDeclarations']).map(toDeclaredTool),
    ),
    ...(isObject(schema) && { schema }),
  }
}

function toEntries(content: LooseObject): Entry[] {
  const parts = toObjects(content['parts'])
  if (content['role'] === 'model') return [{ from: 'model', text: contentText(parts) }]
  const results = parts.flatMap((part) =>
    isObject(part['functionResponse']) ? [part['functionResponse']] : [],
  )
  const entries: Entry[] = results.map((result) => ({
    from: 'tool',
    id: toText(result['id']) || toText(result['name']),
    content: resultText(result['response']),
  }))
  const text = contentText(parts)
  return text === '' ? entries : [...entries, { from: 'user', text }]
}

function resultText(response: unknown): string {
  const { output, error } = toObject(response)
  return toText(output) || toText(error) || JSON.stringify(response ?? '')
}

function toDeclaredTool(tool: LooseObject): DeclaredTool {
  const schema = toObject(tool['parametersJsonSchema'] ?? tool['parameters'])
  return { name: toText(tool['name']), parameters: Object.keys(toObject(schema['properties'])) }
}

function stream(answer: Answer): Frame[] {
  const parts = toParts(answer)
  const frames = parts.map((part) => chunk(response(answer, [part])))
  return [...frames, { data: response(answer, [], true) }]
}

function whole(answer: Answer): unknown {
  return response(answer, toParts(answer), true)
}

function toParts(answer: Answer): LooseObject[] {
  return [
    ...answer.thoughts.map((text) => ({ text, thought: true })),
    ...answer.texts.map((text) => ({ text })),
    // No id, like the real service for clients with an API key. The CLI creates its own.
    ...answer.calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
}

const finishReasons = { end: 'STOP', tools: 'STOP', safety: 'SAFETY', length: 'MAX_TOKENS' }

function response(answer: Answer, parts: LooseObject[], finished = false): LooseObject {
  const content = { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts }
  const finishReason = finishReasons[answer.stop]
  const { input, output, cached, thought } = answer.usage
  return {
    candidates: [{ content, index: 0, ...(finished && { finishReason }) }],
    ...(finished && {
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output + thought,
        ...(cached > 0 && { cachedContentTokenCount: cached }),
        ...(thought > 0 && { thoughtsTokenCount: thought }),
      },
    }),
    modelVersion: answer.model,
    responseId: `response-${answer.id}`,
  }
}

const errors: Record<number, [status: string, message: string]> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: [
    'NOT_FOUND',
    'models/{model} is not found for API version v1beta, or is not supported for generateContent.',
  ],
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
}

function error(code: number, quota: boolean, model: string): unknown {
  const [status, message] = errors[code] ?? ['UNKNOWN', `Error ${String(code)}`]
  if (!quota) return { error: { code, message: message.replace('{model}', model), status } }
  const violation = {
    quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
    quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
    quotaDimensions: { location: 'global', model },
    quotaValue: '250',
  }
  return {
    error: {
      code,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      status,
      details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] }],
    },
  }
}
