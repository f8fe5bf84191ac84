import { randomBytes } from 'node:crypto'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { RemoraError } from '@remora/protocol/plain'
import type { z } from 'zod'
import { waitAtMost } from '../../../runs/waiter.ts'
import { performCall, prepareCall, getErrorText } from './call-tool.ts'
import { FeedbackRun } from './feedback.ts'
import { type HttpGate, openGate } from './http-gate.ts'
import { type OfferedTool, offeredTools, ownInput } from './offered-tools.ts'
import { refusal } from './policies.ts'
import { type Expectation, StructuredOutput, structuredOutputTool } from './structured-output.ts'
import { type HostTool, structuredOutputName, toolServerName } from './tool.ts'
import type { ToolCall, ToolRules } from './tool-rules.ts'

export interface ToolServerOptions {
  readonly tools: readonly HostTool[]
  readonly rules?: ToolRules | undefined
  readonly cwd: string
  /** Whether the model may answer with data. */
  readonly structuredOutput: boolean
}

type Text = { type: 'text'; text: string }

/**
 * Offers the caller's tools to one session of an agent, as an MCP server on loopback that only it can reach.
 *
 * @example
 * await using server = await ToolServer.start({ tools: [clock], cwd: '/home/me/work', structuredOutput: true })
 * await agent.request('session/new', { cwd: '/home/me/work', mcpServers: [server.acp] })
 */
export class ToolServer {
  /** The deadline of the running prompt, for feedback. */
  deadline: Date | undefined
  readonly #cwd: string
  readonly #tools: ReadonlyMap<string, OfferedTool>
  readonly #rules: ToolRules
  readonly #feedback: FeedbackRun
  readonly #output: StructuredOutput | undefined
  readonly #token = randomBytes(32).toString('base64url')
  readonly #calls: string[] = []
  /** The number of calls without those of our own tool. */
  #count = 0
  /** Successful calls, which policies depend on. */
  readonly #done: ToolCall[] = []
  readonly #running = new Map<Promise<unknown>, AbortController>()
  #gate: HttpGate | undefined
  #closing: Promise<void> | undefined
  #seen: () => void = () => {}
  readonly #wasListed = new Promise<true>((resolve) => {
    this.#seen = () => resolve(true)
  })
  #handler: Promise<McpHttpHandler> | undefined

  private constructor({ tools, rules, cwd, structuredOutput }: ToolServerOptions) {
    this.#cwd = cwd
    this.#tools = offeredTools(tools)
    this.#rules = rules ?? {}
    this.#feedback = new FeedbackRun(this.#rules.feedback ?? [], cwd)
    this.#output = structuredOutput ? new StructuredOutput() : undefined
  }

  static async start(options: ToolServerOptions): Promise<ToolServer> {
    const server = new ToolServer(options)
    server.#gate = await openGate(server.#token, async (request) => {
      server.#handler ??= server.#load()
      return (await server.#handler).fetch(request)
    })
    return server
  }

  /** Loaded at the first request, because it takes 200 ms that agents without tool calls need not spend. */
  async #load(): Promise<McpHttpHandler> {
    const { Server, createMcpHandler } = await import('@modelcontextprotocol/server')
    return createMcpHandler(
      ({ requestInfo }) => {
        const mcp = new Server({ name: toolServerName, version: '1' }, { capabilities: { tools: {} } })
        mcp.setRequestHandler('tools/list', () => {
          this.#seen()
          return { tools: this.#offers() }
        })
        mcp.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
          const gone = requestInfo ? [mcpReq.signal, requestInfo.signal] : [mcpReq.signal]
          return this.#answer(params.name, params.arguments ?? {}, gone)
        })
        return mcp
      },
      { maxRequestBodySize: 32 * 1024 * 1024 },
    )
  }

  /** Its entry among the MCP servers of `session/new`. */
  get acp(): {
    type: 'http'
    name: string
    url: string
    headers: { name: string; value: string }[]
  } {
    return {
      type: 'http',
      name: toolServerName,
      url: this.#gate?.url ?? '',
      headers: [{ name: 'Authorization', value: `Bearer ${this.#token}` }],
    }
  }

  /** The names of all calls so far, including failed and refused ones. */
  get calls(): readonly string[] {
    return this.#calls
  }

  /** Whether the agent has listed the tools, which some do only after they have opened the session. */
  async listed(withinMs: number): Promise<boolean> {
    return (await waitAtMost(this.#wasListed, withinMs)) ?? false
  }

  /** Whether a call is running. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /** Accepts data with a schema, for one prompt. */
  expect(schema: z.ZodType): Expectation {
    if (this.#output) return this.#output.expect(schema)
    throw new RemoraError('usage', 'This session has no tool for structured output', {
      hint: 'Open it with structuredOutput: true.',
    })
  }

  /** Aborts running calls, such as when their turn is cancelled. Later calls are accepted. */
  cancelCalls(reason = 'The turn was cancelled.'): void {
    for (const controller of this.#running.values()) controller.abort(new RemoraError('aborted', reason))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.cancelCalls('The session was closed.')
    // Each call ends soon after its abort, and is undone before that.
    await Promise.allSettled(this.#running.keys())
    await (await this.#handler)?.close()
    await this.#gate?.close()
  }

  #offers() {
    const tools = [...this.#tools.values()].map(({ listed }) => listed)
    return this.#output ? [...tools, structuredOutputTool] : tools
  }

  async #answer(
    name: string,
    input: Readonly<Record<string, unknown>>,
    gone: readonly AbortSignal[],
  ): Promise<{ content: Text[]; isError?: boolean }> {
    if (this.#closing) return failure('The session was closed.')
    if (name === structuredOutputName && this.#output) {
      this.#calls.push(name)
      const { text, isError } = this.#output.take(ownInput(input, structuredOutputTool.inputSchema))
      return isError ? failure(text) : { content: [{ type: 'text', text }] }
    }
    const offered = this.#tools.get(name)
    if (!offered) return failure(`There is no tool ${name}. There are: ${[...this.#tools.keys()].join(', ')}`)
    this.#calls.push(name)
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, ...gone])
    const pending = this.#perform(offered, ownInput(input, offered.listed.inputSchema), signal)
    this.#running.set(pending, controller)
    try {
      return await pending
    } finally {
      this.#running.delete(pending)
    }
  }

  /** Never rejects: errors are for the model. */
  async #perform(offered: OfferedTool, given: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const count = ++this.#count
    const result = await this.#result(offered, given, signal).catch((error: unknown) =>
      failure(getErrorText(error)),
    )
    const feedbackTexts = await this.#feedback.due(count, this.deadline)
    result.content.push(...feedbackTexts.map((text): Text => ({ type: 'text', text })))
    return result
  }

  async #result(
    offered: OfferedTool,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ content: Text[]; isError?: boolean }> {
    const prepared = await prepareCall(offered, given)
    const reason = await refusal(this.#rules.policies ?? [], prepared.call, this.#done, this.#cwd)
    if (reason !== undefined) return failure(reason)
    const text = await performCall(prepared, { cwd: this.#cwd, signal })
    this.#done.push(prepared.call)
    return { content: [{ type: 'text', text }] }
  }
}

function failure(text: string): { content: Text[]; isError: true } {
  return { content: [{ type: 'text', text }], isError: true }
}
