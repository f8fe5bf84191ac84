import { expect, it } from 'vitest'
import { loadScenario } from '../replies/load-scenarios.ts'
import { startScriptedModel } from './server.ts'

const prompt = (text: string): unknown => ({
  model: 'm',
  stream: false,
  messages: [{ role: 'user', content: text }],
})

async function chat(url: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers,
  })
  return response.text()
}

it('gives a retried request the same answer, and the next turn its own', async () => {
  await using model = await startScriptedModel({ scenario: await loadScenario('two-turns') })
  const first = await chat(model.url, prompt('one'))
  expect(await chat(model.url, prompt('one'))).toBe(first)
  expect(first).toContain('first answer')
  const second = await chat(model.url, {
    model: 'm',
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'This is the first answer.' },
      { role: 'user', content: 'two' },
    ],
  })
  expect(second).toContain('second answer')
  // A prompt whose turn failed stays in the history without an answer: it counts all the same.
  const afterFailure = { model: 'm', messages: ['one', 'two'].map((content) => ({ role: 'user', content })) }
  expect(await chat(model.url, afterFailure)).toContain('second answer')
  // It is still at the first turn.
  expect(await chat(model.url, prompt('one'))).toBe(first)
})

it('repeats the last reply for further requests', async () => {
  await using model = await startScriptedModel({ scenario: await loadScenario('shell') })
  const tool = { role: 'tool', tool_call_id: 'c', content: 'shell-out' }
  const assistant = { role: 'assistant', content: '' }
  const messages = [{ role: 'user', content: 'go' }, assistant, tool, assistant, tool, assistant, tool]
  expect(await chat(model.url, { model: 'm', messages })).toContain('The command printed')
})

it('gives a sub-agent its own answer instead of the scenario from the start', async () => {
  const task = { name: 'Task', input: { description: 'd', prompt: 'look around', subagent_type: 'x' } }
  const scenario = { name: 's', title: 't', prompt: 'p', turns: [[{ tools: [task] }, { text: 'end' }]] }
  await using model = await startScriptedModel({ scenario })
  expect(await chat(model.url, prompt('p'))).toContain('look around')
  expect(await chat(model.url, prompt('look around'))).toContain('Subtask done.')
})

it('logs every request as received', async () => {
  await using model = await startScriptedModel()
  await chat(
    model.url,
    { ...(prompt('SAY: hi') as object), tools: [{ type: 'function', function: { name: 'bash' } }] },
    {
      authorization: 'Bearer fake',
    },
  )
  await fetch(`${model.url}/nowhere?x=1`)
  expect(model.requests).toMatchObject([
    {
      wire: 'chat',
      kind: 'turn',
      method: 'POST',
      path: '/v1/chat/completions',
      model: 'm',
      prompt: 'SAY: hi',
      tools: ['bash'],
      toolResults: [],
      reply: { text: 'hi' },
      body: { messages: [{ content: 'SAY: hi' }] },
    },
    { wire: 'other', kind: 'other', method: 'GET', path: '/nowhere?x=1' },
  ])
  expect(model.requests[0]?.headers['authorization']).toBe('Bearer fake')
})

it('waits for a past or future request until it is aborted', async () => {
  await using model = await startScriptedModel()
  const coming = model.waitFor((request) => request.prompt === 'SAY: b')
  await chat(model.url, prompt('SAY: a'))
  await chat(model.url, prompt('SAY: b'))
  expect((await coming).prompt).toBe('SAY: b')
  expect((await model.waitFor((request) => request.prompt === 'SAY: a')).prompt).toBe('SAY: a')
  await expect(model.waitFor(() => false, AbortSignal.timeout(20))).rejects.toThrow(/timeout/)
  await expect(model.waitFor(() => false, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})

it('closes at once despite open requests', async () => {
  const model = await startScriptedModel()
  const silent = chat(model.url, prompt('FAULT: silence'))
  const slow = chat(model.url, { ...(prompt('SLOW 60000') as object), stream: true })
  const never = model.waitFor(() => false)
  const hanging = Promise.allSettled([silent, slow, never])
  await model.waitFor((request) => request.prompt === 'FAULT: silence')
  await model.waitFor((request) => request.prompt === 'SLOW 60000')
  const started = performance.now()
  await model.close()
  await model.close()
  expect(performance.now() - started).toBeLessThan(20_000)
  expect((await hanging).map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
})

it('delays a held chunk until it is released', async () => {
  let letGo: () => void
  const seen = new Promise<void>((resolve) => (letGo = resolve))
  await using model = await startScriptedModel({
    hold: (piece) => (piece.includes('last') ? seen : undefined),
  })
  const response = await fetch(`${model.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...(prompt('SLOW 1\nSAY: first and last') as object), stream: true }),
  })
  let text = ''
  let before: string | undefined
  for await (const bytes of response.body!) {
    text += Buffer.from(bytes).toString('utf8')
    if (before !== undefined || !text.includes('and')) continue
    before = text
    letGo!()
  }
  expect(before).toContain('first')
  expect(before).not.toContain('last')
  expect(text).toMatch(/first.*and.*last.*DONE/s)
})

it('ends answers that are held without end when it closes', async () => {
  const model = await startScriptedModel({ hold: () => new Promise(() => {}) })
  const held = chat(model.url, { ...(prompt('SAY: never') as object), stream: true })
  const ended = held.then(
    () => 'whole',
    () => 'cut',
  )
  await model.waitFor((request) => request.prompt === 'SAY: never')
  await model.close()
  expect(await ended).toBe('cut')
})

it('listens on the given port on loopback, or reports why not', async () => {
  await using model = await startScriptedModel()
  expect(model.url).toBe(`http://127.0.0.1:${String(model.port)}`)
  await expect(startScriptedModel({ port: model.port })).rejects.toThrow(/EADDRINUSE/)
})

it('reads compressed requests', async () => {
  const { gzipSync } = await import('node:zlib')
  await using model = await startScriptedModel()
  const response = await fetch(`${model.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(prompt('SAY: small'))),
  })
  expect(await response.text()).toContain('small')
})
