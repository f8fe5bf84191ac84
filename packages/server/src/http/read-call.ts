import { parseJson } from '@remora/protocol/plain'
import type { Context as HonoContext } from 'hono'
import type { z } from 'zod'
import { HttpError } from '../security/http-error.ts'
import { limits } from '../security/limits.ts'
import type { Route } from './route.ts'

/** The checked parts of a request; what does not fit is a `usage` error that names the field. */
export async function readCall(
  route: Route,
  c: HonoContext,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const { params, query, body } = route.shapes
  return {
    params: params && parse(params, c.req.param(), 'path'),
    query: query && parse(query, c.req.query(), 'query'),
    body: body && parse(body, await readJson(c), 'body'),
  }
}

async function readJson(c: HonoContext): Promise<unknown> {
  const type = c.req.header('content-type') ?? ''
  // Forms of other sites can send anything but this without being asked first.
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
  const most = (c.get('bodyBytes') as number | undefined) ?? limits.bodyBytes
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > most) throw tooLarge()
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
