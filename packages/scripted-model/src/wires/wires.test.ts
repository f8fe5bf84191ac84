import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadScenario } from '../replies/load-scenarios.ts'
import type { Reply, Scenario } from '../replies/scenario.ts'
import { startScriptedModel, type ScriptedModel } from '../server/server.ts'

let model: ScriptedModel

beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())
beforeEach(() => model.use(undefined))

const full: Reply = {
  thoughts: [{ subject: 'Planning', description: 'First the file.' }],
  text: ['Hel', 'lo'],
  tools: [
    { name: 'Write', input: { file_path: 'note.txt', content: 'hi\n' } },
    { name: 'Bash', input: { command: 'ls' } },
  ],
  usage: { input: 100, output: 20, cached: 10, thought: 5 },
}

const scenario = (...replies: Reply[]): Scenario => ({ name: 's', title: 't', prompt: 'p', turns: [replies] })

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(model.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

type Json = ReturnType<typeof JSON.parse> // What a vendor's client would read: the tests look into it freely.

async function json(path: string, body: unknown): Promise<Json> {
  return (await post(path, body)).json()
}

async function events(path: string, body: unknown): Promise<{ event?: string; data: Json }[]> {
  const response = await post(path, body)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return (await response.text())
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const lines = frame.split('\n')
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = field('data') ?? ''
      const event = field('event')
      return { ...(event !== undefined && { event }), data: data === '[DONE]' ? data : JSON.parse(data) }
    })
}

describe('gemini', () => {
  const address = '/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse'
  const declarations = ['write_file', 'run_shell_command'].map((name) => ({ name }))
  const request = {
    contents: [{ role: 'user', parts: [{ text: 'p' }] }],
    tools: [{ functionDeclarations: declarations }],
  }

  it('streams thoughts, text chunks and calls, then the stop reason and the tokens', async () => {
    model.use(scenario(full))
    const frames = (await events(address, request)).map((frame) => frame.data)
    const parts = frames.flatMap((frame) => frame.candidates[0].content.parts)
    expect(parts).toEqual([
      { text: '**Planning**\n\nFirst the file.\n', thought: true },
      { text: 'Hel' },
      { text: 'lo' },
      { functionCall: { name: 'write_file', args: { file_path: 'note.txt', content: 'hi\n' } } },
      { functionCall: { name: 'run_shell_command', args: { command: 'ls' } } },
      { text: '' },
    ])
    expect(frames.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        cachedContentTokenCount: 10,
        thoughtsTokenCount: 5,
        totalTokenCount: 125,
      },
      modelVersion: 'gemini-3-flash',
    })
    expect(frames.filter((frame) => frame.usageMetadata)).toHaveLength(1)
  })

  it('answers whole, as an array, and counts', async () => {
    model.use(await loadScenario('hello'))
    const whole = await json('/v1beta/models/m:generateContent', request)
    const text = whole.candidates[0].content.parts.map((part: { text: string }) => part.text).join('')
    expect(text).toBe('Hello from the scripted model.')
    const array = await json('/v1beta/models/m:streamGenerateContent', request)
    expect(array).toHaveLength(5)
    expect((await json('/v1beta/models/m:countTokens', request)).totalTokens).toBeGreaterThan(10)
  })

  it('answers the router and other requests for JSON without using a reply', async () => {
    model.use(scenario({ text: 'the reply' }))
    const schema = {
      type: 'OBJECT',
      properties: { reasoning: { type: 'STRING' }, model_choice: { type: 'STRING', enum: ['flash', 'pro'] } },
      required: ['reasoning', 'model_choice'],
    }
    const verdict = await json('/v1beta/models/lite:generateContent', {
      ...request,
      generationConfig: { responseJsonSchema: schema },
    })
    expect(JSON.parse(verdict.candidates[0].content.parts[0].text)).toMatchObject({ model_choice: 'flash' })
    expect(model.requests.at(-1)).toMatchObject({ wire: 'gemini', kind: 'router', model: 'lite' })
    const score = { properties: { complexity_reasoning: {}, complexity_score: { type: 'integer' } } }
    const scored = await json('/v1beta/models/lite:generateContent', {
      ...request,
      generationConfig: { responseSchema: score },
    })
    expect(JSON.parse(scored.candidates[0].content.parts[0].text).complexity_score).toBe(10)
  })

  it('reads results of tools and leaves the session context out of the prompt', async () => {
    model.use(scenario(full, { text: 'end' }))
    await json('/v1beta/models/m:generateContent', {
      contents: [
        { role: 'user', parts: [{ text: '<session_context>\nToday\n</session_context>' }] },
        { role: 'user', parts: [{ text: 'write it' }] },
        { role: 'model', parts: [{ functionCall: { name: 'write_file', args: {} } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'a1', name: 'write_file', response: { output: 'ok' } } }],
        },
      ],
    })
    expect(model.requests.at(-1)).toMatchObject({
      kind: 'turn',
      prompt: 'write it',
      toolResults: [{ id: 'a1', content: 'ok' }],
      reply: { text: 'end' },
    })
  })
})

describe('anthropic', () => {
  const request = {
    model: 'claude-x',
    stream: true,
    system: [{ type: 'text', text: 'Primary working directory: /home/me/work\nMore' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'p' }] }],
    tools: ['Write', 'Bash'].map((name) => ({ name, input_schema: { properties: {} } })),
  }

  it('streams blocks whose deltas add up', async () => {
    model.use(scenario(full))
    const frames = await events('/v1/messages?beta=true', request)
    expect(frames.every((frame) => frame.event === frame.data.type)).toBe(true)
    expect(frames[0]?.data.message).toMatchObject({ role: 'assistant', model: 'claude-x', content: [] })
    const blocks = frames.filter((frame) => frame.event === 'content_block_start').map((frame) => frame.data)
    expect(blocks.map((block) => block.content_block.type)).toEqual([
      'thinking',
      'text',
      'tool_use',
      'tool_use',
    ])
    const joined = (index: number, field: string): string =>
      frames
        .filter((frame) => frame.event === 'content_block_delta' && frame.data.index === index)
        .map((frame) => frame.data.delta[field] ?? '')
        .join('')
    expect(joined(0, 'thinking')).toContain('First the file.')
    expect(joined(0, 'signature')).not.toBe('')
    expect(joined(1, 'text')).toBe('Hello')
    // Claude requires absolute paths and sends its directory.
    expect(JSON.parse(joined(2, 'partial_json'))).toEqual({
      file_path: '/home/me/work/note.txt',
      content: 'hi\n',
    })
    expect(frames.at(-2)?.data).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 25 },
    })
    const ids = blocks.slice(2).map((block) => block.content_block.id)
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^toolu_/)
  })

  it('answers without streaming, counts tokens, lists models and is reachable', async () => {
    model.use(scenario(full))
    const whole = await json('/v1/messages', { ...request, stream: false })
    expect(whole.content.map((block: { type: string }) => block.type)).toEqual([
      'thinking',
      'text',
      'tool_use',
      'tool_use',
    ])
    expect(whole.stop_reason).toBe('tool_use')
    expect((await json('/v1/messages/count_tokens', request)).input_tokens).toBeGreaterThan(10)
    const models = await fetch(`${model.url}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } })
    expect(((await models.json()) as Json).data[0].type).toBe('model')
    expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200)
  })

  it('reads the new prompt if the same message has an old tool result', async () => {
    model.use({ ...scenario(full), turns: [[full], [{ text: 'second' }]] })
    const messages = [
      ...request.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'stopped' }] },
          { type: 'text', text: '[Request interrupted by user for tool use]' },
          { type: 'text', text: 'again' },
          { type: 'text', text: '<system-reminder>Be nice.</system-reminder>' },
        ],
      },
    ]
    const whole = await json('/v1/messages', { ...request, messages, stream: false })
    expect(whole.content).toEqual([{ type: 'text', text: 'second' }])
    expect(model.requests.at(-1)).toMatchObject({
      prompt: 'again',
      toolResults: [{ id: 't1', content: 'stopped' }],
    })
  })
})

describe('responses', () => {
  const request = {
    model: 'fake-model',
    stream: true,
    instructions: 'Code.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: '<environment_context>\n<cwd>/w</cwd>\n</environment_context>' },
        ],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'p' }] },
    ],
    tools: [{ type: 'function', name: 'exec_command', parameters: { properties: { cmd: {} } } }],
  }

  it('does not read a notification about a sub-agent as a prompt', async () => {
    model.use(undefined)
    const text = '<subagent_notification>\n{"status":{"completed":"Done."}}\n</subagent_notification>'
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    await events('/v1/responses', { ...request, input: [...request.input, item] })
    expect(model.requests.at(-1)?.prompt).toBe('p')
  })

  it('streams items, and completes with all of them', async () => {
    model.use(scenario(full))
    const frames = await events('/v1/responses', request)
    expect(frames.map((frame) => frame.data.sequence_number)).toEqual(frames.map((_frame, index) => index))
    expect(frames.every((frame) => frame.event === frame.data.type)).toBe(true)
    const deltas = frames.filter((frame) => frame.event === 'response.output_text.delta')
    expect(deltas.map((frame) => frame.data.delta)).toEqual(['Hel', 'lo'])
    const done = frames
      .filter((frame) => frame.event === 'response.output_item.done')
      .map((frame) => frame.data.item)
    expect(done.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
    const last = frames.at(-1)?.data
    expect(last.type).toBe('response.completed')
    expect(last.response.output).toEqual(done)
    expect(last.response.usage).toMatchObject({ input_tokens: 100, output_tokens: 25, total_tokens: 125 })
    // Codex writes files by a patch in its shell, and recognises it there.
    expect(JSON.parse(done[2].arguments).cmd).toBe(
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: note.txt\n+hi\n*** End Patch\nEOF",
    )
    expect(done[2].call_id).toMatch(/^call_/)
  })

  it('finds tools among the items of the input, and in namespaces', async () => {
    model.use(scenario({ tools: [{ name: 'mcp__tiny__add', input: { a: 1 } }] }))
    const namespace = { type: 'namespace', name: 'mcp__tiny', tools: [{ type: 'function', name: 'add' }] }
    const input = [{ type: 'additional_tools', tools: [namespace] }, ...request.input]
    const whole = await json('/v1/responses', { ...request, tools: undefined, input, stream: false })
    expect(whole.output[0]).toMatchObject({ name: 'add', namespace: 'mcp__tiny', arguments: '{"a":1}' })
    expect(model.requests.at(-1)).toMatchObject({ prompt: 'p', tools: ['add'] })
  })

  it('counts the items of one answer as one, and reads outputs', async () => {
    model.use(scenario(full, { text: 'end' }))
    const input = [
      ...request.input,
      { type: 'reasoning', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'function_call', call_id: 'c1', name: 'exec_command', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'fine' },
    ]
    const whole = await json('/v1/responses', { ...request, input, stream: false })
    expect(whole.output[0].content[0].text).toBe('end')
    expect(model.requests.at(-1)?.toolResults).toEqual([{ id: 'c1', content: 'fine' }])
  })
})

describe('chat', () => {
  const request = {
    model: 'fake-model',
    stream: true,
    messages: [
      { role: 'system', content: 'Working directory: /w\n' },
      { role: 'user', content: 'p' },
    ],
    tools: ['write', 'bash'].map((name) => ({ type: 'function', function: { name, parameters: {} } })),
  }

  it('streams deltas, the tokens and the end', async () => {
    model.use(scenario(full))
    const frames = (await events('/v1/chat/completions', request)).map((frame) => frame.data)
    const deltas = frames.flatMap((frame) => frame.choices ?? []).map((choice) => choice.delta)
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('Hello')
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toContain('First the file.')
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
    expect(calls.map((call) => [call.index, call.function.name])).toEqual([
      [0, 'write'],
      [1, 'bash'],
    ])
    expect(JSON.parse(calls[0].function.arguments)).toEqual({ filePath: '/w/note.txt', content: 'hi\n' })
    expect(frames.at(-1)).toBe('[DONE]')
    expect(frames.at(-2).usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 25,
      total_tokens: 125,
    })
    expect(frames.at(-3).choices[0].finish_reason).toBe('tool_calls')
  })

  it('answers whole, and a title without using a reply', async () => {
    model.use(scenario({ text: 'the reply' }))
    const whole = await json('/v1/chat/completions', { ...request, stream: false })
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'the reply' } })
    const messages = [{ role: 'system', content: 'You are a title generator.' }, ...request.messages]
    const title = await json('/v1/chat/completions', { ...request, messages, tools: [], stream: false })
    expect(title.choices[0].message.content).toBe('A scripted conversation')
    expect(model.requests.at(-1)?.kind).toBe('summary')
  })

  it('lists the models', async () => {
    const response = await fetch(`${model.url}/v1/models`)
    expect(((await response.json()) as Json).object).toBe('list')
  })
})
