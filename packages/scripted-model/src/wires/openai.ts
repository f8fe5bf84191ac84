import type { DeclaredTool } from '../replies/conversation.ts'
import { toObjects, toObject, toText, type LooseObject } from '../replies/loose-json.ts'

// Shared by OpenAI's two wires.

export function models(): unknown {
  const data = ['gpt-6.1', 'fake-model'].map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'scripted',
  }))
  return { object: 'list', data }
}

/** Tools in both spellings: `{type, function: {name, parameters}}` and `{type, name, parameters}`; namespaces hold tools. */
export function declaredTools(tools: unknown): DeclaredTool[] {
  return toObjects(tools).flatMap((tool): DeclaredTool[] => {
    if (tool['type'] === 'namespace') {
      const namespace = toText(tool['name'])
      return declaredTools(tool['tools']).map((inner) => ({ ...inner, namespace }))
    }
    const definition: LooseObject = 'function' in tool ? toObject(tool['function']) : tool
    const schema = toObject(definition['parameters'])
    const name = toText(definition['name']) || toText(definition['type'])
    return [{ name, parameters: Object.keys(toObject(schema['properties'])) }]
  })
}

const errors: Record<number, [type: string, code: string | null, message: string]> = {
  400: ['invalid_request_error', null, 'Invalid request.'],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: fake.'],
  403: ['invalid_request_error', 'permission_denied', 'You do not have access to this resource.'],
  404: [
    'invalid_request_error',
    'model_not_found',
    'The model `{model}` does not exist or you do not have access to it.',
  ],
  429: ['requests', 'rate_limit_exceeded', 'Rate limit reached for {model}. Please try again later.'],
  500: ['server_error', null, 'The server had an error while processing your request. Sorry about that!'],
  503: ['server_error', null, 'The engine is currently overloaded, please try again later'],
}

const quotaError: [string, string, string] = [
  'insufficient_quota',
  'insufficient_quota',
  'You exceeded your current quota, please check your plan and billing details.',
]

export function error(status: number, quota: boolean, model: string): unknown {
  const known = errors[status] ?? ['server_error', null, `Error ${String(status)}`]
  const [type, code, message] = quota ? quotaError : known
  return { error: { message: message.replace('{model}', model), type, param: null, code } }
}
