import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Ledger } from '@remora/ledger'
import type { Io } from '../../command/io.ts'
import { version } from '../../command/version.ts'
import { withLedger } from '../../ledger/with-ledger.ts'
import { live, prompt, wait } from './live-tools.ts'
import { listSessions, readSession, search } from './reading-tools.ts'
import { type RemoraTool, checked, toJsonSchema } from './tool.ts'

const tools: readonly RemoraTool[] = [listSessions, search, readSession, live, prompt, wait]

export interface Streams {
  readonly input: Readable
  readonly output: Writable
}

/**
 * Serves the tools until the client closes standard input or a signal stops it.
 *
 * @example await serveMcp(io, { input: process.stdin, output: process.stdout })
 */
export async function serveMcp(io: Io, { input, output }: Streams): Promise<number> {
  const stopped = io.stopped?.() ?? new AbortController().signal
  await withLedger(
    io,
    async (ledger) => {
      const serving = serveStdio(() => toolServer(io, ledger, stopped), {
        transport: new StdioServerTransport(input, output),
      })
      await new Promise<void>((resolve) => {
        input.once('end', resolve)
        input.once('close', resolve)
        stopped.addEventListener('abort', () => resolve(), { once: true })
        if (stopped.aborted || input.readableEnded) resolve()
      })
      await serving.close()
    },
    { current: false },
  )
  return 0
}

function toolServer(io: Io, ledger: Ledger, stopped: AbortSignal): Server {
  const server = new Server({ name: 'remora', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: toJsonSchema(tool),
      annotations: { readOnlyHint: tool.readOnly },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name)
    try {
      if (!tool)
        throw new Error(`Unknown tool ${params.name}. Available: ${tools.map(({ name }) => name).join(', ')}`)
      const signal = AbortSignal.any([mcpReq.signal, stopped])
      const result = await tool.run(checked(tool, params.arguments ?? {}), { io, ledger, signal })
      return { content: [{ type: 'text' as const, text: formatResult(result) }] }
    } catch (error) {
      return { content: [{ type: 'text' as const, text: failure(error) }], isError: true }
    }
  })
  return server
}

function formatResult(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result, null, 2)
}

/** Formats an error for the model. */
function failure(error: unknown): string {
  const { message, hint } = error as { message?: string; hint?: string }
  return [message ?? String(error), hint].filter(Boolean).join('\n')
}
