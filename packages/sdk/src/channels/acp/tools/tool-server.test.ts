import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tool } from './tool.ts'
import type { ToolServerOptions } from './tool-server.ts'
import { McpClient, add, serve } from './tool-server.test-data.ts'

const fail = (error: unknown) =>
  tool({
    name: 'fail',
    description: 'Fails',
    input: z.object({}),
    run: () => {
      throw error
    },
  })

const circle: unknown[] = []
circle.push(circle)

/** Runs until it is aborted, and reports its start. */
function endless(undo?: () => void) {
  const begun = latch<AbortSignal>()
  const definition = tool({
    name: 'endless',
    description: 'Waits',
    input: z.object({}),
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        begun.resolve(signal)
      }),
    ...(undo ? { undo } : {}),
  })
  return { definition, begun: begun.promise }
}

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('MCP %s', (revision) => {
  it('lists tools and calls them', async () => {
    const server = await serve({ tools: [add], structuredOutput: true })
    const client = await McpClient.connect(server, revision)
    const { tools } = (await client.request('tools/list', {})) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['add', 'structured_output'])
    expect(tools[0]).toMatchObject({
      description: 'Adds two numbers',
      inputSchema: { type: 'object', required: ['a'], properties: { a: { type: 'number' } } },
    })
    expect(await client.callText('add', { a: 1, b: 2 })).toBe('{"sum":3}')
    expect(await client.callText('add', { a: 1 })).toBe('{"sum":2}')
    expect(server.calls).toEqual(['add', 'add'])
  })
})

describe('the newest revision of MCP', () => {
  it('needs no handshake', async () => {
    const client = new McpClient(await serve({ tools: [add] }), '2026-07-28')
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const call = { name: 'add', arguments: { a: 4 }, _meta: meta }
    const response = await client.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { 'mcp-method': 'tools/call', 'mcp-name': 'add' },
    )
    expect(await response.text()).toContain('{\\"sum\\":5}')
  })
})

describe('an error', () => {
  it.each([
    [new Error('No such zone'), '! No such zone'],
    ['plain words', '! plain words'],
    [{ code: 7 }, '! {"code":7}'],
    [undefined, '! undefined'],
  ])('in a tool is sent to the model: %s', async (error, expected) => {
    expect(await (await McpClient.connect(await serve({ tools: [fail(error)] }))).callText('fail', {})).toBe(
      expected,
    )
  })

  it('in the input is sent to the model', async () => {
    const client = await McpClient.connect(await serve({ tools: [add] }))
    expect(await client.callText('add', { a: 'one' })).toMatch(
      /^! The input does not fit:\n.*expected number/s,
    )
    expect(await client.callText('add')).toContain('→ at a')
    expect(await client.callText('subtract', {})).toBe('! There is no tool subtract. There are: add')
  })

  it.each([
    ['a circle', () => circle],
    ['a bigint', () => 1n],
    ['a function', () => () => 1],
  ])('in the result is sent to the model: %s', async (_, run) => {
    const odd = tool({ name: 'odd', description: 'Odd', input: z.object({}), run })
    const { isError, content } = await (
      await McpClient.connect(await serve({ tools: [odd] }))
    ).call('odd', {})
    expect(isError).toBe(true)
    expect(content[0]!.text).not.toBe('')
  })

  it('undoes the call, and the model gets the outcome', async () => {
    const undone: unknown[] = []
    const input = z.object({ n: z.number(), broken: z.boolean().optional() })
    const half = tool({
      name: 'half',
      description: 'Fails half way',
      input,
      run: async () => {
        await Promise.resolve()
        throw new Error('Disk full')
      },
      undo: ({ n, broken }, { cwd }) => {
        if (broken) throw new Error('Still full')
        undone.push([n, cwd])
      },
    })
    const client = await McpClient.connect(await serve({ tools: [half] }))
    expect(await client.callText('half', { n: 1 })).toBe('! Disk full\nWhat the call had done was undone.')
    expect(await client.callText('half', { n: 2, broken: true })).toBe(
      '! Disk full\nUndoing it failed too: Still full',
    )
    await client.callText('half', { n: 'never began' })
    expect(undone).toEqual([[1, '/home/me/work']])
  })

  it('in the tool names prevents the start', async () => {
    const named = (name: string) => ({ ...add, name })
    await expect(serve({ tools: [named('a b')] })).rejects.toMatchObject({ code: 'usage' })
    await expect(serve({ tools: [named('')] })).rejects.toMatchObject({ code: 'usage' })
    await expect(serve({ tools: [named('structured_output')] })).rejects.toMatchObject({ code: 'usage' })
    await expect(serve({ tools: [add, named('add')] })).rejects.toThrow('"add" is there twice')
    await expect(serve({ tools: [{ ...add, input: z.object({ at: z.date() }) }] })).rejects.toThrow(
      'tool add: input',
    )
  })
})

describe('results and inputs', () => {
  const echo = (input: z.ZodType, run: (given: unknown) => unknown = (given) => given) =>
    tool({ name: 'echo', description: 'Echo', input, run })
  const client = async (...tools: ToolServerOptions['tools']) =>
    await McpClient.connect(await serve({ tools }))

  it('are unchanged strings, and JSON for anything else', async () => {
    const results: unknown[] = ['two\nlines', { a: [1] }, null, 0, [1], '0 of 3', undefined, '']
    const each = await client(echo(z.object({}), () => results.shift()))
    const texts = [
      'two\nlines',
      '{"a":[1]}',
      'Result: null',
      'Result: 0',
      'Result: [1]',
      '0 of 3',
      'Done.',
      'Done.',
    ]
    for (const text of texts) expect(await each.callText('echo', {})).toBe(text)
  })

  it('are shortened if they are huge', async () => {
    const text = await (await client(echo(z.object({}), () => 'x'.repeat(3_000_000)))).callText('echo', {})
    expect(text.length).toBeLessThan(1_000_100)
    expect(text).toContain('2000000 characters left out')
  })

  it('may be lists and scalars, which are wrapped in an object', async () => {
    const list = await client(echo(z.array(z.string())))
    const { tools } = (await list.request('tools/list', {})) as { tools: { inputSchema: unknown }[] }
    expect(tools[0]!.inputSchema).toMatchObject({ type: 'object', required: ['items'] })
    expect(await list.callText('echo', { items: ['a'] })).toBe('Result: ["a"]')
    expect(await (await client(echo(z.number()))).callText('echo', { value: 3 })).toBe('Result: 3')
    const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    expect(await (await client(echo(either))).callText('echo', { value: { b: 'x' } })).toBe('{"b":"x"}')
    expect(await (await client(echo(either))).callText('echo', { b: 'x' })).toBe('{"b":"x"}')
  })

  it('may be validated asynchronously', async () => {
    const even = z.object({ n: z.number().refine(async (n) => n % 2 === 0, 'Odd') })
    const each = await client(echo(even))
    expect(await each.callText('echo', { n: 2 })).toBe('{"n":2}')
    expect(await each.callText('echo', { n: 3 })).toContain('Odd')
  })
})

describe('a field that Gemini adds to every call', () => {
  const strict = (input: z.ZodType) =>
    tool({ name: 'echo', description: 'Echo', input, run: (given) => given })

  it('does not reach the tools, unless it is their own', async () => {
    const given = { a: 1, wait_for_previous: true }
    const without = await serve({ tools: [strict(z.strictObject({ a: z.number() }))] })
    expect(await (await McpClient.connect(without)).callText('echo', given)).toBe('{"a":1}')
    const own = z.strictObject({ a: z.number(), wait_for_previous: z.boolean() })
    const withIt = await serve({ tools: [strict(own)] })
    expect(await (await McpClient.connect(withIt)).callText('echo', given)).toBe(JSON.stringify(given))
  })
})

describe('the list of tools', () => {
  it('reports when an agent has requested it', async () => {
    const server = await serve({ tools: [add] })
    expect(await server.listed(1)).toBe(false)
    const client = await McpClient.connect(server)
    await client.request('tools/list', {})
    expect(await server.listed(1)).toBe(true)
  })
})

describe('rules', () => {
  it('refuse with a reason, and a refused call does not count as done', async () => {
    const server = await serve({
      tools: [add],
      rules: { policies: [(call, earlier) => (earlier.length > 0 ? `${call.name} again` : undefined)] },
    })
    const client = await McpClient.connect(server)
    expect(await client.callText('add', { a: 'x' })).toContain('does not fit')
    expect(await client.callText('add', { a: 1 })).toBe('{"sum":2}')
    expect(await client.callText('add', { a: 1 })).toBe('! add again')
    expect(server.calls).toEqual(['add', 'add', 'add'])
  })

  it('see the files of a call', async () => {
    const seen: unknown[] = []
    const files = { ...add, reads: () => ['in.txt'], writes: ({ a }: { a: number }) => [`${a}.txt`] }
    const policies = [(call: unknown) => void seen.push(call)]
    const client = await McpClient.connect(await serve({ tools: [files], rules: { policies } }))
    await client.callText('add', { a: 1 })
    expect(seen).toEqual([{ name: 'add', input: { a: 1, b: 1 }, reads: ['in.txt'], writes: ['1.txt'] }])
  })

  it('add their texts to results and failures', async () => {
    const server = await serve({
      tools: [add, fail(new Error('No'))],
      rules: { feedback: [{ after: { calls: 2 }, say: ({ calls }) => `${calls} calls` }] },
    })
    const client = await McpClient.connect(server)
    expect(await client.callText('add', { a: 1 })).toBe('{"sum":2}')
    expect(await client.callText('fail', {})).toBe('! No | 2 calls')
  })
})

describe('an end', () => {
  it('of the turn aborts its calls and undoes them, and later calls are accepted', async () => {
    let undone = 0
    const { definition, begun } = endless(() => void undone++)
    const server = await serve({ tools: [add, definition] })
    const client = await McpClient.connect(server)
    const result = client.callText('endless', {})
    await begun
    server.cancelCalls()
    expect(await result).toBe('! The turn was cancelled.\nWhat the call had done was undone.')
    expect(undone).toBe(1)
    expect(await client.callText('add', { a: 1 })).toBe('{"sum":2}')
  })

  it('of a call comes before it is undone', async () => {
    const order: string[] = []
    const begun = latch<void>()
    const slow = tool({
      name: 'slow',
      description: 'Ends in its own time',
      input: z.object({}),
      run: (_, { signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () =>
            setImmediate(() => {
              order.push('ended')
              resolve()
            }),
          )
          begun.resolve()
        }),
      undo: () => void order.push('undone'),
    })
    const server = await serve({ tools: [slow] })
    const result = (await McpClient.connect(server)).callText('slow', {})
    await begun.promise
    server.cancelCalls()
    await result
    expect(order).toEqual(['ended', 'undone'])
  })

  it('of the request aborts its call', async () => {
    const { definition, begun } = endless()
    const client = await McpClient.connect(await serve({ tools: [definition] }))
    const gone = new AbortController()
    const call = client.call('endless', {}, gone.signal)
    const signal = await begun
    gone.abort()
    await expect(call).rejects.toThrow()
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(signal.aborted).toBe(true)
  })

  it('of the session ends calls that ignore their signal, undoes them, and closes every connection', async () => {
    const begun = latch<void>()
    let undone = 0
    const deaf = tool({
      name: 'deaf',
      description: 'Does not listen',
      input: z.object({}),
      run: () => {
        begun.resolve()
        return new Promise(() => {})
      },
      undo: () => void undone++,
    })
    const server = await serve({ tools: [deaf] })
    const client = await McpClient.connect(server)
    const call = client.call('deaf', {}).catch(() => undefined)
    await begun.promise
    await Promise.all([server.close(), server.close()])
    await call
    expect(undone).toBe(1)
    await expect(client.callText('deaf', {})).rejects.toThrow()
  })
})

function latch<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
