import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { ToolServer } from './tool-server.ts'
import { McpClient, add, serve } from './tool-server.test-data.ts'

describe('access to the server', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

  it.each([
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: `Bearer ${'x'.repeat(43)}` }, 401],
    ['a foreign origin', { origin: 'https://example.com' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
  ])('refuses %s', async (_, headers, status) => {
    const server = await serve({ tools: [add] })
    const response = await new McpClient(server, '2025-06-18').post(list, headers)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('add')
  })

  it('accepts its own origin and both names of loopback', async () => {
    const server = await serve({ tools: [add] })
    const client = new McpClient(server, '2025-06-18')
    const origin = new URL(server.acp.url).origin
    expect((await client.post(list, { origin })).status).toBe(200)
    expect(await statusFor(server, { host: origin.replace('http://127.0.0.1', 'localhost') })).toBe(200)
    expect(await statusFor(server, { host: 'attacker.example' })).toBe(403)
    expect(await statusFor(server, { host: '127.0.0.1:1' })).toBe(403)
  })

  it('answers at one path only, and only to messages', async () => {
    const { url, headers } = (await serve({ tools: [add] })).acp
    const authorization = headers[0]!.value
    expect((await fetch(url.replace('/mcp', '/'), { headers: { authorization } })).status).toBe(404)
    expect((await fetch(`${url}/more`, { headers: { authorization } })).status).toBe(404)
    expect((await fetch(url, { headers: { authorization } })).status).toBe(405)
    expect((await fetch(url, { method: 'DELETE', headers: { authorization } })).status).toBe(405)
  })

  it('accepts at most 16 MB, announced or not', async () => {
    const server = await serve({ tools: [add] })
    const client = new McpClient(server, '2025-06-18')
    expect((await client.post('x'.repeat(17 * 1024 * 1024))).status).toBe(413)
    expect(await statusFor(server, { 'transfer-encoding': 'chunked' }, 'x'.repeat(17 * 1024 * 1024))).toBe(
      413,
    )
    expect(await client.callText('add', { a: 1, b: 'x'.repeat(10 * 1024 * 1024) })).toContain(
      'expected number',
    )
  })

  it('survives garbage', async () => {
    const client = new McpClient(await serve({ tools: [add] }), '2025-06-18')
    expect((await client.post('{')).status).toBe(400)
    expect((await client.post('[]')).status).toBe(400)
    expect(await client.callText('add', { a: 1 })).toBe('{"sum":2}')
  })

  it('creates a new token every time', async () => {
    const [one, other] = [await serve({}), await serve({})]
    expect(one.acp.headers).not.toEqual(other.acp.headers)
    expect(one.acp.headers[0]!.value).toMatch(/^Bearer [\w-]{43}$/)
    expect(one.acp).toMatchObject({ type: 'http', name: 'remora' })
  })
})

/** Sends headers that `fetch` does not allow. */
function statusFor(server: ToolServer, headers: Record<string, string>, body?: string): Promise<number> {
  const { url, headers: own } = server.acp
  const message = body ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: own[0]!.value,
        ...headers,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.end(message)
  })
}
