import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { tool } from './tool.ts'
import { ToolServer, type ToolServerOptions } from './tool-server.ts'

/** A server that is closed after the test. */
export async function serve(options: Partial<ToolServerOptions>): Promise<ToolServer> {
  const server = await ToolServer.start({
    tools: [],
    cwd: '/home/me/work',
    structuredOutput: false,
    ...options,
  })
  onTestFinished(() => server.close())
  return server
}

export const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => ({ sum: a + b }),
})

export interface ToolAnswer {
  content: { type: string; text: string }[]
  isError?: boolean
}

interface Reply {
  result?: unknown
  error?: { code: number; message: string }
}

/** An MCP client like those of the CLIs: a handshake first, then its revision with every request. */
export class McpClient {
  readonly #server: ToolServer
  readonly #revision: string
  #next = 1

  constructor(server: ToolServer, revision: string) {
    this.#server = server
    this.#revision = revision
  }

  static async connect(server: ToolServer, revision = '2025-06-18'): Promise<McpClient> {
    const client = new McpClient(server, revision)
    await client.request('initialize', {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return client
  }

  async call(name: string, input?: unknown, signal?: AbortSignal): Promise<ToolAnswer> {
    return (await this.request('tools/call', { name, arguments: input }, signal)) as ToolAnswer
  }

  /** The text of the answer, marked if it is an error. */
  async callText(name: string, input?: unknown): Promise<string> {
    const { content, isError } = await this.call(name, input)
    return `${isError ? '! ' : ''}${content.map(({ text }) => text).join(' | ')}`
  }

  async request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const response = await this.post({ jsonrpc: '2.0', id: this.#next++, method, params }, {}, signal)
    const text = await response.text()
    const stream = response.headers.get('content-type')?.includes('text/event-stream')
    const { result, error } = JSON.parse(stream ? lastData(text) : text) as Reply
    if (error) throw new Error(error.message)
    return result
  }

  async post(
    message: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const { url, headers: own } = this.#server.acp
    return await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': this.#revision,
        ...Object.fromEntries(own.map(({ name, value }) => [name.toLowerCase(), value])),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
      ...(signal ? { signal } : {}),
    })
  }
}

function lastData(stream: string): string {
  return stream
    .split('\n')
    .findLast((line) => line.startsWith('data: '))!
    .slice('data: '.length)
}
