import { ClientMessage, ServerMessage } from '@remora/protocol'
import { z } from 'zod'
import { commandRoles, messageRoles } from '../ws/roles.ts'
import type { Route } from './route.ts'

const errorShape = {
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

/** Without a schema: that is how bytes of any type are described. */
const anyBytes = { '*/*': {} }

/** The routes below /api, and /health, as OpenAPI 3.1, whose schemas are JSON Schema. */
export function openApi(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    if (!route.path.startsWith('/api') && route.path !== '/health') continue
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Remora',
      version,
      description:
        'Live sessions of coding agents. Events come by the WebSocket at /api/ws, in the messages ClientMessage and ServerMessage: docs/protocol.md.',
    },
    paths,
    // The least role for each message of the WebSocket, and for each kind of command.
    'x-websocket-access': { messages: messageRoles, commands: commandRoles },
    components: {
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'remora' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
        Error: errorShape,
        ClientMessage: schema(ClientMessage, 'input'),
        ServerMessage: schema(ServerMessage, 'output'),
      },
    },
  }
}

function operation({ summary, access, shapes }: Route): Record<string, unknown> {
  const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
  const ok = shapes.response
    ? {
        200: {
          description: 'Done',
          content: { 'application/json': { schema: schema(shapes.response, 'output') } },
        },
      }
    : shapes.bytes === 'given'
      ? { 200: { description: 'The file', content: anyBytes } }
      : { 200: { description: 'Done' }, 204: { description: 'Done, and there is nothing to tell' } }
  return {
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
    parameters: [...parameters(shapes.params, 'path'), ...parameters(shapes.query, 'query')],
    ...(shapes.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schema(shapes.body, 'input') } },
          },
        }
      : {}),
    ...(shapes.bytes === 'taken' ? { requestBody: { required: true, content: anyBytes } } : {}),
    responses: { ...ok, default: { description: 'Refused, or failed', ...error } },
  }
}

function parameters(shape: z.ZodType | undefined, where: 'path' | 'query'): Record<string, unknown>[] {
  if (!shape) return []
  const { properties = {}, required = [] } = schema(shape, 'input') as {
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

function schema(shape: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(shape, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}
