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
  const text = await readText(c)
  try {
    return parseJson(text)
  } catch {
    throw new HttpError(400, 'usage', 'The body is not valid JSON')
  }
}

async function readText(c: HonoContext): Promise<string> {
  const maxBytes = (c.get('bodyBytes') as number | undefined) ?? limits.bodyBytes
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export function tooLarge(): HttpError {
  return new HttpError(413, 'input', 'The request is too large')
}

function parse(schema: z.ZodType, value: unknown, where: string): unknown {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = issue?.path.map(String).join('.')
  throw new HttpError(400, 'usage', `${where}${field ? `, ${field}` : ''}: ${issue?.message ?? 'invalid'}`)
}
