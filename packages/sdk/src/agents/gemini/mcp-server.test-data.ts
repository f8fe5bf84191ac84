import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

// A minimal MCP server for the real CLI, with one tool that echoes its input.

interface Call {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } }
}

/** A server on loopback. `hold` makes calls wait until `release`. */
export async function startHttpMcpServer({ hold = false } = {}) {
  const headers: IncomingHttpHeaders[] = []
  let release = (): void => {}
  const released = hold ? new Promise<void>((resolve) => (release = resolve)) : undefined
  let called = (): void => {}
  const firstCall = new Promise<void>((resolve) => (called = resolve))
  const server = createServer((request, response) => {
    headers.push(request.headers)
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.writeHead(405).end()
        return
      }
      const call = JSON.parse(text) as Call
      const reply = (): unknown =>
        call.id === undefined
          ? response.writeHead(202).end()
          : response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(call)))
      if (call.method === 'tools/call') {
        called()
        if (released) {
          void released.then(reply)
          return
        }
      }
      reply()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    firstCall,
    release: () => release(),
    async [Symbol.asyncDispose]() {
      release()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer({ id, method, params }: Call): unknown {
  const result =
    method === 'initialize'
      ? {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'lab', version: '1' },
        }
      : method === 'tools/list'
        ? { tools: [{ name: 'echo', description: 'Repeats', inputSchema: schema }] }
        : method === 'tools/call'
          ? { content: [{ type: 'text', text: `http says ${params?.arguments?.text}` }] }
          : {}
  return { jsonrpc: '2.0', id, result }
}

const schema = { type: 'object', properties: { text: { type: 'string' } } }

/** The same server over stdio. Its tool returns an argument and a variable. */
export const stdioMcpServer = `
const schema = ${JSON.stringify(schema)}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'pipe', version: '1' } }
      : method === 'tools/list'
        ? { tools: [{ name: 'tell', description: 'Tells', inputSchema: schema }] }
        : method === 'tools/call'
          ? { content: [{ type: 'text', text: 'stdio says ' + process.argv[2] + ' ' + process.env.LAB_TOKEN }] }
          : {}
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`
