// An ACP agent without a model, for faults that no real agent produces on demand and for the bench. The words of a prompt
// say what it does (see words.test-data.mjs), one per line.
//
//   node agent.test-data.mjs '{"stays": true}'
//
// All of the behaviour is optional:
//   protocolVersion, agentInfo, authMethods, capabilities    what `initialize` tells
//   modes, models, configOptions    what a session opens with
//   replies   {'session/new': {error: {code, message}} | {result: {…}} | 'never'}    answers in place of its own
//   before    {'session/load': [update, 'user hello', 'agent hi']}    updates sent ahead of an answer
//   after     the same, sent right behind it
//   signIn    demands `authenticate` with this method before a session
//   delays    {initialize: 300}    milliseconds before it answers
//   prompts   what a second prompt does to the one under way: 'cancel-first' (as Gemini does), 'refuse' or 'both'
//   stays     does not end when its stdin closes, as wrappers do not
//   stubborn  does not end at SIGTERM either
//   noise     a text for stderr, at the start and with every message
//   banner    a text for stdout before anything else
//   record    a file to which every line that it gets is added
import { appendFileSync } from 'node:fs'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { RpcError, Wire } from './wire.test-data.mjs'
import { actionsIn } from './words.test-data.mjs'

const behaviour = JSON.parse(process.argv[2] ?? '{}')
const capabilities = behaviour.capabilities ?? {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true },
}
const sessions = new Map()
let opened = 0
let signedIn = behaviour.signIn === undefined

// It must not outlive a test that was killed.
setTimeout(() => process.exit(9), behaviour.lifeMs ?? 300_000).unref()
if (behaviour.stays) setInterval(() => {}, 1_000)
if (behaviour.stubborn) process.on('SIGTERM', () => {})
if (behaviour.banner) process.stdout.write(`${behaviour.banner}\n`)
makeNoise()

const wire = new Wire({
  onLine(line) {
    makeNoise()
    if (behaviour.record) appendFileSync(behaviour.record, `${line}\n`)
  },
  onRequest: answer,
  onNotification(method, params) {
    if (method === 'session/cancel') sessions.get(params.sessionId)?.turns.forEach((turn) => turn.abort())
  },
  onEnd() {
    if (!behaviour.stays) process.exit(0)
  },
})

const methods = {
  initialize: () => ({
    protocolVersion: behaviour.protocolVersion ?? 1,
    agentCapabilities: capabilities,
    authMethods: behaviour.authMethods ?? [],
    agentInfo: behaviour.agentInfo ?? { name: 'fake-agent', title: 'Fake agent', version: '1.2.3' },
  }),
  authenticate: ({ methodId }) => {
    if (behaviour.signIn !== undefined && methodId !== behaviour.signIn)
      throw new RpcError(-32000, 'Wrong way to sign in')
    signedIn = true
    return {}
  },
  'session/new': openNew,
  'session/load': (params) => open(params.sessionId, params),
  'session/resume': (params) => open(params.sessionId, params),
  'session/fork': openNew,
  'session/close': (params) => {
    findSession(params).turns.forEach((turn) => turn.abort())
    sessions.delete(params.sessionId)
    return {}
  },
  'session/list': () => ({ sessions: [...sessions.values()].map(({ id, cwd }) => ({ sessionId: id, cwd })) }),
  'session/set_mode': (params) => choose(params, 'modes', 'currentModeId', params.modeId),
  'session/set_model': (params) => choose(params, 'models', 'currentModelId', params.modelId),
  'session/set_config_option': (params) => {
    const { configOptions } = findSession(params)
    const option = configOptions?.find(({ id }) => id === params.configId)
    if (!option) throw new RpcError(-32602, `There is no option ${params.configId}`)
    option.currentValue = params.value
    return { configOptions }
  },
  'session/prompt': prompt,
}

/** The capability that a method requires; other methods are always supported. */
const advertised = {
  'session/load': () => capabilities.loadSession,
  'session/resume': () => capabilities.sessionCapabilities?.resume,
  'session/fork': () => capabilities.sessionCapabilities?.fork,
  'session/close': () => capabilities.sessionCapabilities?.close,
  'session/list': () => capabilities.sessionCapabilities?.list,
}

/** `reply` is called at most once; the `after` updates follow it. */
async function answer(method, params, reply) {
  const configured = behaviour.replies?.[method]
  if (behaviour.delays?.[method]) await sleep(behaviour.delays[method])
  if (configured === 'never') return
  if (configured?.error)
    throw new RpcError(configured.error.code, configured.error.message, configured.error.data)
  const known = Object.hasOwn(methods, method) && (!advertised[method] || advertised[method]())
  if (!known) throw new RpcError(-32601, `"Method not found": ${method}`, { method })
  const { afterwards, ...result } = await methods[method](params)
  const sessionId = result.sessionId ?? params.sessionId
  for (const update of behaviour.before?.[method] ?? []) void wire.update(sessionId, toUpdate(update))
  reply(configured?.result ?? result)
  for (const update of behaviour.after?.[method] ?? []) void wire.update(sessionId, toUpdate(update))
  await afterwards?.()
}

function open(id, { cwd, mcpServers = [] }) {
  if (!signedIn) throw new RpcError(-32000, 'Authentication required')
  const { modes, models, configOptions } = structuredClone(behaviour)
  sessions.set(id, { id, cwd, mcpServers, modes, models, configOptions, turns: new Set(), calls: 0 })
  return { modes, models, configOptions }
}

function openNew(params) {
  const sessionId = `fake-${process.pid}-${++opened}`
  return { sessionId, ...open(sessionId, params) }
}

function findSession({ sessionId }) {
  const session = sessions.get(sessionId)
  if (!session) throw new RpcError(-32602, `Session not found: ${sessionId}`)
  return session
}

function choose(params, list, current, value) {
  const state = findSession(params)[list]
  if (!state) throw new RpcError(-32601, '"Method not found"')
  state[current] = value
  return {}
}

async function prompt(params) {
  const session = findSession(params)
  const second = behaviour.prompts ?? 'cancel-first'
  if (session.turns.size > 0 && second === 'refuse') throw new RpcError(-32600, 'A prompt is under way')
  if (second === 'cancel-first') session.turns.forEach((turn) => turn.abort())
  const cancel = new AbortController()
  session.turns.add(cancel)
  try {
    return await turn(session, params.prompt, cancel.signal)
  } finally {
    session.turns.delete(cancel)
  }
}

/** Runs the actions of a prompt until it is cancelled. Results of actions are merged into the response. */
async function turn(session, content, cancelled) {
  const tools = { wire, session, content, cancelled, ...speech(session) }
  let result = { stopReason: 'end_turn' }
  for (const { action, words } of actionsIn(content)) {
    result = { ...result, ...(await action(tools, words)) }
    // Yields to the event loop, so that a cancel can be read.
    await setImmediate()
    if (cancelled.aborted) return { ...result, stopReason: 'cancelled' }
  }
  return result
}

function speech({ id }) {
  const chunk = (sessionUpdate) => (text) =>
    wire.update(id, { sessionUpdate, content: { type: 'text', text } })
  return {
    update: (update) => wire.update(id, update),
    say: chunk('agent_message_chunk'),
    think: chunk('agent_thought_chunk'),
    ask: (method, params) => wire.request(method, { sessionId: id, ...params }),
  }
}

function toUpdate(update) {
  if (typeof update !== 'string') return update
  const [who, ...words] = update.split(' ')
  const sessionUpdate = who === 'user' ? 'user_message_chunk' : 'agent_message_chunk'
  return { sessionUpdate, content: { type: 'text', text: words.join(' ') } }
}

function makeNoise() {
  if (behaviour.noise) process.stderr.write(`${behaviour.noise}\n`)
}
