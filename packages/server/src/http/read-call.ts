import { parseJson } from '@remora/protocol/plain'
import type { RouteContract } from '@remora/protocol/api'
import type { Context as HonoContext } from 'hono'
import type { z } from 'zod'
import { HttpError } from '../security/http-error.ts'
import { limits } from '../security/limits.ts'

/** Checks the parts of a request. An invalid field is a `usage` error that names it. */
export async function readCall(
  { params, query, body }: RouteContract,
  c: HonoContext,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  return {
    params: params && parse(params, c.req.param(), 'path'),
    query: query && parse(query, c.req.query(), 'query'),
    body: body && parse(body, await readJson(c), 'body'),
  }
}

async function readJson(c: HonoContext): Promise<unknown> {
  const type = c.req.header('content-type') ?? ''
  // A form on another site can send every other type without a CORS preflight.
  if (!/^application\/json *(?:; *charset="?utf-8"?)?$/i.test(type))
    throw new HttpError(415, 'usage', 'The body must be application/json')
  const maxBytes = (c.get('bodyBytes') as number | undefined) ?? limits.bodyBytes
  const text = (await readBytes(c.req.raw, maxBytes)).toString()
  try {
    return parseJson(text)
  } catch {
    throw new HttpError(400, 'usage', 'The body is not valid JSON')
  }
}

/** Reads a body and never holds more than `maxBytes` of it. */
export async function readBytes(
  { body }: Request,
  maxBytes: number,
  createError: (maxBytes: number) => Error = createSizeError,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    // Leaving the loop cancels the body.
    if (length > maxBytes) throw createError(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function createSizeError(): HttpError {
  return new HttpError(413, 'input', 'The request is too large')
}

function parse(schema: z.ZodType, value: unknown, where: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.map(String).join('.')
  throw new HttpError(400, 'usage', `${where}${field ? `, ${field}` : ''}: ${issue?.message ?? 'invalid'}`)
}
