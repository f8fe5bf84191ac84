// The fake agent's tool calls: its own, with and without permission, and those of its MCP server.

/** Kinds of the protocol by their words; `tool dance` has kind `other`. */
const kinds = {
  write: 'edit',
  edit: 'edit',
  read: 'read',
  execute: 'execute',
  delete: 'delete',
  fetch: 'fetch',
}
const options = [
  { optionId: 'proceed_always', name: 'Allow always', kind: 'allow_always' },
  { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
]

export const toolWords = {
  tool: async (tools, words) => {
    const call = parseCall(tools, words)
    void tools.update({ sessionUpdate: 'tool_call', ...call })
    await permitted(tools, call)
  },
  // Like Gemini, reports the call only after the decision.
  'ask-first': (tools, words) => permitted(tools, parseCall(tools, words)),
  'tool-twice': async (tools, words) => {
    const call = parseCall(tools, words)
    void tools.update({ sessionUpdate: 'tool_call', ...call })
    void tools.update({ sessionUpdate: 'tool_call', ...call })
    await permitted(tools, call)
  },
  // Does not ask.
  'tool-plain': (tools, words) => {
    const call = parseCall(tools, words)
    void tools.update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
    finish(tools, call)
  },
  'tool-unfinished': (tools, words) =>
    void tools.update({ sessionUpdate: 'tool_call', ...parseCall(tools, words), status: 'in_progress' }),
  // Reported only when it has ended, like Gemini's write_todos.
  'tool-end-only': (tools, words) => finish(tools, parseCall(tools, words)),
  'tool-failed': (tools, words) => {
    const call = parseCall(tools, words)
    void tools.update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
    void tools.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: call.toolCallId,
      status: 'failed',
      content: text('It did not work'),
    })
  },
  'empty-tool-id': (tools) => {
    const call = { ...parseCall(tools, ['read', 'a.txt']), toolCallId: '' }
    void tools.update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
    finish(tools, call)
  },

  'call-tool': async (tools, [name, ...words]) => callTool(tools, name, JSON.parse(words.join(' ') || '{}')),
  structured: async (tools, words) => {
    for (const value of valuesIn(words)) await callTool(tools, 'structured_output', value)
  },
  'list-tools': async ({ session, say }) => {
    const { tools } = await (await mcp(session)).request('tools/list', {})
    void say(tools.map(({ name }) => name).join(' '))
  },
  'call-tool-wrong-bearer': async ({ session, say }) =>
    void say(await refusal(session, { authorization: 'Bearer 0000' })),
  'call-tool-no-bearer': async ({ session, say }) =>
    void say(await refusal(session, { authorization: undefined })),
  'call-tool-foreign-origin': async ({ session, say }) =>
    void say(await refusal(session, { origin: 'https://evil.example' })),
}

function parseCall({ session }, [word = 'write', ...words]) {
  const target = words.join(' ')
  const call = { toolCallId: `call-${++session.calls}`, kind: kinds[word] ?? 'other', status: 'pending' }
  if (word === 'execute') {
    const command = target || 'echo hello'
    return { ...call, title: command, content: [], locations: [], rawInput: { command } }
  }
  const path = target.startsWith('/') ? target : `${session.cwd}/${target || 'a.txt'}`
  const diff = { type: 'diff', path, oldText: null, newText: 'hello\n' }
  return {
    ...call,
    title: `${word} ${path}`,
    content: call.kind === 'edit' ? [diff] : [],
    locations: [{ path }],
    rawInput: { path },
  }
}

/** Asks, and ends the call if it is allowed. Like Gemini, it never reports a refused call again. */
async function permitted(tools, call) {
  const { outcome } = await tools.ask('session/request_permission', { toolCall: call, options })
  void tools.say(`chose ${outcome.optionId ?? outcome.outcome};`)
  if (outcome.optionId?.startsWith('proceed')) finish(tools, call)
}

function finish({ update }, { toolCallId, title, kind, content, rawInput }) {
  const output = content.length > 0 ? content : text(`done: ${title}`)
  const fields = { toolCallId, title, kind, rawInput, content: output, status: 'completed' }
  void update({ sessionUpdate: 'tool_call_update', ...fields })
}

function text(words) {
  return [{ type: 'content', content: { type: 'text', text: words } }]
}

/** Calls a host tool, reports the call like an agent, and sends the returned text. */
async function callTool(tools, name, input) {
  const server = await mcp(tools.session)
  const toolCallId = `call-${++tools.session.calls}`
  const call = { toolCallId, title: `${name} (${server.name} MCP Server)`, kind: 'other', rawInput: input }
  void tools.update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
  const callResult = await server.request('tools/call', { name, arguments: input }).then(
    ({ content, isError }) => ({
      failed: isError === true,
      text: content.map((block) => block.text ?? '').join(''),
    }),
    ({ message }) => ({ failed: true, text: message }),
  )
  const status = callResult.failed ? 'failed' : 'completed'
  void tools.update({ sessionUpdate: 'tool_call_update', toolCallId, status, content: text(callResult.text) })
  void tools.say(`${callResult.failed ? 'error' : 'got'} ${callResult.text};`)
}

/** A client of the session's first HTTP server, after the handshake. */
async function mcp(session, changed = {}) {
  const server = session.mcpServers.find(({ type }) => type === 'http')
  if (!server) throw new Error('The session has no MCP server that is reached by HTTP')
  const given = Object.fromEntries(server.headers.map(({ name, value }) => [name.toLowerCase(), value]))
  const headers = Object.entries({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...given,
    ...changed,
  }).filter(([, value]) => value !== undefined)
  const post = async (message) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const session = response.headers.get('mcp-session-id')
    if (session && message.method === 'initialize') headers.push(['mcp-session-id', session])
    if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status })
    return messageIn(await response.text())
  }
  let id = 0
  const request = async (method, params) => {
    const reply = await post({ id: ++id, method, params })
    if (reply?.error) throw new Error(reply.error.message)
    return reply?.result
  }
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fake-agent', version: '1.2.3' },
  })
  await post({ method: 'notifications/initialized' })
  return { name: server.name, request }
}

/** The last message of a JSON or event-stream body. */
function messageIn(body) {
  if (body === '') return undefined
  if (body.startsWith('{')) return JSON.parse(body)
  const data = body.split('\n').filter((line) => line.startsWith('data:') && line.trim() !== 'data:')
  return data.length > 0 ? JSON.parse(data.at(-1).slice('data:'.length)) : undefined
}

async function refusal(session, changed) {
  return mcp(session, changed).then(
    () => 'let in',
    ({ status, message }) => String(status ?? message),
  )
}

/** Parses consecutive JSON values, which may contain spaces. */
function valuesIn(words) {
  const values = []
  let open = []
  for (const word of words) {
    open.push(word)
    try {
      values.push(JSON.parse(open.join(' ')))
      open = []
    } catch {
      // Continue with the next word.
    }
  }
  if (open.length > 0) throw new Error(`No JSON: ${open.join(' ')}`)
  return values
}
