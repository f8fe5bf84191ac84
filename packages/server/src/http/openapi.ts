import { ClientMessage, ServerMessage } from '@remora/protocol'
import { type RouteContract, api } from '@remora/protocol/api'
import { z } from 'zod'
import { commandRoles, messageRoles } from '../security/roles.ts'

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
    },
  },
}

/** OpenAPI describes bytes of any type by the absence of a schema. */
const anyBytes = { '*/*': {} }

/** Describes the HTTP API as OpenAPI 3.1, whose schemas are JSON Schema. */
export function createOpenApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, contract] of Object.entries<RouteContract>(api)) {
    const path = contract.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [contract.method]: describeOperation(name, contract) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Remora',
      version,
      description:
        'Live sessions of coding agents. The WebSocket at /api/ws sends events as ServerMessage and accepts ClientMessage: docs/protocol.md.',
    },
    paths,
    // The lowest role for each WebSocket message and each kind of command.
    'x-websocket-access': { messages: messageRoles, commands: commandRoles },
    components: {
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'remora' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
        Error: errorSchema,
        ClientMessage: toSchema(ClientMessage, 'input'),
        ServerMessage: toSchema(ServerMessage, 'output'),
      },
    },
  }
}

function describeOperation(name: string, contract: RouteContract): Record<string, unknown> {
  const { summary, access, params, query, body, response, bytes } = contract
  const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
  const ok = response
    ? {
        200: {
          description: 'Success',
          content: { 'application/json': { schema: toSchema(response, 'output') } },
        },
      }
    : bytes === 'response'
      ? { 200: { description: 'The file', content: anyBytes } }
      : { 204: { description: 'Success, no content' } }
  return {
    operationId: name,
    summary,
    ...(access === 'open' ? { security: [] } : {}),
    ...(access === 'user' ? { description: 'Over the unix socket only.' } : {}),
    ...(access === 'open' || access === 'user'
      ? {}
      : {
          description: `For the role ${access}${access === 'owner' ? '' : ' and above'}.`,
          security: [{ cookie: [] }, { bearer: [] }],
        }),
    'x-access': access,
    parameters: [...listParameters(params, 'path'), ...listParameters(query, 'query')],
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toSchema(body, 'input') } },
          },
        }
      : {}),
    ...(bytes === 'request' ? { requestBody: { required: true, content: anyBytes } } : {}),
    responses: { ...ok, default: { description: 'Refused or failed', ...error } },
  }
}

function listParameters(type: z.ZodType | undefined, where: 'path' | 'query'): Record<string, unknown>[] {
  if (!type) return []
  const { properties = {}, required = [] } = toSchema(type, 'input') as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema,
  }))
}

function toSchema(type: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}
