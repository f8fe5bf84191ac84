import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault, Reply } from '../replies/scenario.ts'
import { startScriptedModel, type ScriptedModel } from './server.ts'

let model: ScriptedModel

beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

const wires = {
  gemini: {
    path: '/v1beta/models/m1:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'p' }] }] },
  },
  anthropic: {
    path: '/v1/messages',
    body: { model: 'm1', stream: true, messages: [{ role: 'user', content: 'p' }] },
  },
  responses: { path: '/v1/responses', body: { model: 'm1', stream: true, input: 'p' } },
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm1', stream: true, messages: [{ role: 'user', content: 'p' }] },
  },
}

async function ask(wire: keyof typeof wires, reply: Reply, signal?: AbortSignal): Promise<Response> {
  model.use({ name: 's', title: 't', prompt: 'p', turns: [[reply]] })
  return again(wire, signal)
}

async function again(wire: keyof typeof wires, signal?: AbortSignal): Promise<Response> {
  const { path, body } = wires[wire]
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })
}

const names = Object.keys(wires) as (keyof typeof wires)[]

describe.each(names)('%s', (wire) => {
  it.each([400, 401, 403, 404, 429, 500, 503] as const)(
    'answers %i in the format of its vendor',
    async (status) => {
      const response = await ask(wire, { fault: { kind: 'status', status } })
      expect(response.status).toBe(status)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      expect(wire === 'gemini' ? error['code'] === status : typeof error['type'] === 'string').toBe(true)
      expect(error['message']).toMatch(status === 404 ? /m1/ : /\w/)
    },
  )

  it('reports an exhausted quota', async () => {
    const fault: Fault = { kind: 'status', status: 429, quota: true }
    const response = await ask(wire, { fault })
    expect(response.status).toBe(429)
    const text = await response.text()
    expect(text).toMatch(
      { gemini: /PerDay/, anthropic: /usage limits/ }[wire as string] ?? /insufficient_quota/,
    )
  })

  it('fails the given number of times, then answers the same request', async () => {
    const reply: Reply = { text: 'after all', fault: { kind: 'status', status: 503, times: 2 } }
    expect((await ask(wire, reply)).status).toBe(503)
    expect((await again(wire)).status).toBe(503)
    const third = await again(wire)
    expect(third.status).toBe(200)
    expect(await third.text()).toContain('after all')
  })

  it('cuts the connection in the middle', async () => {
    const response = await ask(wire, { text: ['aaa', 'bbb', 'ccc'], fault: { kind: 'cut', afterChunks: 2 } })
    let text = ''
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder()
      for await (const chunk of response.body!) text += decoder.decode(chunk as Uint8Array)
    }
    await expect(read()).rejects.toThrow('terminated')
    expect(text).toContain('bbb')
    expect(text).not.toContain('ccc')
  })

  it('sends nothing until the client disconnects', async () => {
    const signal = AbortSignal.timeout(150)
    await expect(ask(wire, { fault: { kind: 'silence' } }, signal)).rejects.toThrow('timeout')
  })

  it('sends an empty answer', async () => {
    const response = await ask(wire, { text: 'never sent', fault: { kind: 'empty' } })
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('never sent')
  })

  it('stops for safety and for length', async () => {
    const reasons = {
      gemini: ['"SAFETY"', '"MAX_TOKENS"'],
      anthropic: ['"refusal"', '"max_tokens"'],
      responses: ['"content_filter"', '"max_output_tokens"'],
      chat: ['"content_filter"', '"length"'],
    }[wire]
    expect(await (await ask(wire, { text: 'a', stop: 'safety' })).text()).toContain(reasons[0])
    expect(await (await ask(wire, { text: 'a', stop: 'length' })).text()).toContain(reasons[1])
  })

  it('waits before each chunk, and stops when the client disconnects', async () => {
    const started = performance.now()
    await (await ask(wire, { text: ['a', 'b', 'c'], delayMs: 40 })).text()
    expect(performance.now() - started).toBeGreaterThan(110)
    const leaving = new AbortController()
    const response = await ask(wire, { text: ['a', 'b'], delayMs: 60_000 }, leaving.signal)
    leaving.abort()
    await expect(response.text()).rejects.toThrow('aborted')
  })
})
