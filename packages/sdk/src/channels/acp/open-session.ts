import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { McpServer, Place, Problem, ProtectedResume } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { checkBudget } from './budget.ts'
import { checkOpenOptions } from './check-options.ts'
import { type Choices, checkChoice, choiceRequest, readChoices } from './choices.ts'
import { ClientRequests } from './client-requests.ts'
import { chooseStartMode } from './guard-mode.ts'
import type { FoundAgent } from './found-agent.ts'
import type { Greeting } from './greeting.ts'
import type { Link } from './link.ts'
import type { ConnectOptions, OpenOptions } from './options.ts'
import { toObstacleError, toWarningFields } from './problem-fields.ts'
import type { AcpReader } from './reading/read-update.ts'
import { LiveSession } from './live-session.ts'
import { toPolicies } from './tools/policies.ts'
import { structuredOutputName, toolServerName } from './tools/tool.ts'
import type { ToolServer } from './tools/tool-server.ts'

/** What the agent's files know about its sessions. */
export interface KeptSessions {
  latest(cwd: string): Promise<string | undefined>
  has(id: string): Promise<boolean>
}

/** What opening a session needs from its connection. */
export interface Opening {
  readonly found: FoundAgent
  readonly kept: KeptSessions
  readonly options: ConnectOptions
  readonly greeting: Greeting
  readonly reader: AcpReader
  readonly link: Link
  /** Also during a restart of the agent. */
  request(method: string, params: object): Promise<AgentRecord>
  add(session: LiveSession): void
  readonly protections: ProtectedResume[]
  /** Throws if the connection is closed or broken. */
  check(): void
  /** Resolves when everything received is delivered. */
  settled(): Promise<void>
}

const unknownSession = /not found|invalid session|no such session|unknown session/i

/** The longest wait for a replay. */
const longestReplayMs = 30_000

/** Starts or resumes a session and configures it. */
export async function openSession(opening: Opening, options: OpenOptions): Promise<LiveSession> {
  const { found, link } = opening
  checkOpenOptions(options)
  await checkFolder(options.cwd)
  checkBudget(options.budget)
  const place = { ...found.place, cwd: options.cwd }
  const wantedMode = options.mode ?? opening.options.mode
  const startMode =
    wantedMode && link.modes({ kind: 'mode', offered: [], current: undefined }).normalize(wantedMode)
  if (startMode === 'plan') await link.checkPlan(place)
  const tools = await offerTools(opening, options, place)
  try {
    const mcpServers = [
      ...(tools.server ? [tools.server.acp] : []),
      ...listServers(options.mcpServers ?? {}, opening),
    ]
    const sent = { mcpServers, ...getMeta(opening, startMode) }
    const { id, result } = await begin(opening, options, place, sent)
    const mode = readChoices(result, 'mode')
    const model = readChoices(result, 'model')
    const { server } = tools
    const names = [...(options.tools ?? []).map(({ name }) => name), structuredOutputName]
    const requests = new ClientRequests({
      agent: found.id,
      session: id,
      cwd: options.cwd,
      options: opening.options,
      reader: opening.reader,
      env: found.env,
      warn: (ask, problem) => link.warn(id, toWarningFields(`${ask}/problem`, problem)),
      hostTool: (params, reported) => {
        const name = server && found.acp.hostTool?.(toolServerName, params, reported)
        return name !== undefined && names.includes(name) ? name : undefined
      },
    })
    requests.planning = startMode === 'plan'
    const session = new LiveSession(link, {
      id,
      place,
      mode,
      model,
      requests,
      tools: server,
      hostTools: (options.tools ?? []).length > 0,
      outputTool: server !== undefined && (options.structuredOutput ?? true),
      obstacle: tools.obstacle,
      budget: options.budget,
      mcpServers,
      startMode,
    })
    opening.add(session)
    try {
      if (options.resume !== undefined) await quiet(opening, session, options.signal)
      const wantedModel = options.model ?? started(model, opening.options.model)
      if (wantedModel !== undefined) await choose(opening, session, model, wantedModel)
      const wanted = options.mode ?? started(mode, opening.options.mode)
      const { guessesMode } = found.quirks
      // It starts in the mode of the user's configuration, or in that of the session which is resumed.
      if (guessesMode) mode.current = link.modes(mode).toId(found.startMode ?? 'ask')
      const chosen = chooseStartMode(link.guard, link.modes(mode), mode, wanted)
      const first = chosen ?? (guessesMode ? mode.current : undefined)
      if (guessesMode) mode.current = undefined
      if (first !== undefined) await choose(opening, session, mode, first)
    } catch (error) {
      await session.close()
      throw error
    }
    await opening.settled()
    session.guardMode()
    return session
  } catch (error) {
    await tools.server?.close()
    throw error
  }
}

/** Resumes a session after a restart of the agent. */
export async function reopenSession(opening: Opening, session: LiveSession): Promise<void> {
  const { place, mcpServers, mode, model, startMode } = session.opened
  const kept = { mode: mode.current, model: model.current }
  // Settings that the agent does not restore itself are set again.
  mode.current = undefined
  model.current = undefined
  const sent = { mcpServers, ...getMeta(opening, startMode) }
  const { result } = await resume(opening, session.id, place, sent, undefined)
  await quiet(opening, session)
  for (const choices of [mode, model]) {
    if (choices.kind !== 'mode' || !opening.found.quirks.guessesMode)
      choices.current ??= readChoices(result, choices.kind).current
    const value = kept[choices.kind]
    if (value !== undefined) await choose(opening, session, choices, value)
  }
  session.guardMode()
}

/** The parameters besides the servers. */
function getMeta({ found }: Opening, mode: string | undefined): { _meta?: AgentRecord } {
  const meta = found.acp.sessionMeta?.(mode)
  return meta ? { _meta: meta } : {}
}

async function begin(
  opening: Opening,
  { cwd, resume: wanted, fork, signal }: OpenOptions,
  place: Place,
  sent: AgentRecord,
): Promise<{ id: string; result: AgentRecord }> {
  const { found } = opening
  const request = makeAbortable(opening.request, signal)
  if (wanted === undefined) {
    const result = await request('session/new', { cwd, ...sent }).catch((error: unknown) => {
      throw withAuth(error, opening)
    })
    return { id: readSessionId(result, found.title), result }
  }
  const id = wanted === 'latest' ? await lastSession(opening, cwd) : wanted
  if (!fork) return resume(opening, id, place, sent, signal)
  if (opening.greeting.can('fork')) {
    const result = await request('session/fork', { sessionId: id, cwd, ...sent })
    return { id: readSessionId(result, found.title), result }
  }
  const copy = await found.acp.fork?.(place, id)
  if (!copy)
    throw found.acp.fork
      ? notFound(found.title, id, cwd)
      : createUnsupportedError(found.title, 'fork over ACP', 'Resume the session instead.')
  try {
    return await resume(opening, copy.id, place, sent, signal)
  } catch (error) {
    await copy.discard()
    throw error
  }
}

/** Loads a session, protected against damage by the agent. */
async function resume(
  opening: Opening,
  wanted: string,
  place: Place,
  sent: AgentRecord,
  signal: AbortSignal | undefined,
): Promise<{ id: string; result: AgentRecord }> {
  const { found, greeting, protections } = opening
  const method = greeting.can('resume') ? 'session/resume' : greeting.can('load') ? 'session/load' : undefined
  if (!method)
    throw createUnsupportedError(found.title, 'resume over ACP', 'Use remora run --resume instead.')
  const protection = await found.protect(place, wanted, signal)
  protections.push(protection)
  const { id } = protection
  const request = retryWhileBusy(makeAbortable(opening.request, signal), found.quirks.lingering)
  const result = await request(method, { sessionId: id, cwd: place.cwd, ...sent }).catch(
    async (error: unknown) => {
      // Most agents give no reason for an unknown id.
      const isReplied = RemoraError.is(error) && error.code !== 'crashed' && error.code !== 'aborted'
      if (isReplied && (unknownSession.test(error.message) || !(await opening.kept.has(id))))
        throw notFound(found.title, id, place.cwd, error)
      throw withAuth(error, opening)
    },
  )
  return { id, result }
}

async function lastSession({ found, kept, greeting, request }: Opening, cwd: string): Promise<string> {
  const own = await kept.latest(cwd)
  if (own !== undefined) return own
  if (greeting.can('list')) {
    const { sessions } = await request('session/list', { cwd })
    const [first] = Array.isArray(sessions) ? (sessions as unknown[]) : []
    const id = asString(asRecord(first)?.['sessionId'])
    if (id !== undefined) return id
  }
  throw new RemoraError('not_found', `${found.title} has no session in ${cwd}`, {
    hint: 'Leave resume out to begin one.',
  })
}

/** Starts the server of the caller's tools, or explains why there is none. */
async function offerTools(
  { found, greeting, options }: Opening,
  { tools = [], toolRules, structuredOutput = true, cwd }: OpenOptions,
  place: Place,
): Promise<{ server?: ToolServer; obstacle?: Problem }> {
  if (tools.length === 0 && !structuredOutput) return {}
  if (!greeting.takesHttpServers) {
    if (tools.length > 0)
      throw createUnsupportedError(found.title, 'tools of the program', 'It takes no MCP servers over HTTP.')
    return {}
  }
  const [obstacle] = (await found.acp.obstacles?.(place)) ?? []
  if (obstacle) {
    if (tools.length > 0) throw toObstacleError(obstacle)
    return { obstacle }
  }
  const tooling = await import('./tools/tool-server.ts')
  const policies = [...toPolicies(options.permissions), ...(toolRules?.policies ?? [])]
  return {
    server: await tooling.ToolServer.start({
      tools,
      cwd,
      structuredOutput,
      rules: { ...toolRules, policies },
    }),
  }
}

function listServers(
  servers: Readonly<Record<string, McpServer>>,
  { found, greeting }: Opening,
): AgentRecord[] {
  const pairs = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => ({ name, value }))
  if (Object.keys(servers).some((name) => name === toolServerName || name.startsWith(`${toolServerName}_`)))
    throw new RemoraError('usage', `open: an MCP server cannot be called ${toolServerName}`, {
      hint: 'That is the name of our own. Choose another.',
    })
  return Object.entries(servers).map(([name, server]) => {
    if (!('command' in server) && !('url' in server))
      throw new RemoraError('usage', `open: the MCP server ${name} has neither a command nor a url`, {
        hint: 'Give { command, args } or { url }.',
      })
    if ('command' in server)
      return { name, command: server.command, args: server.args ?? [], env: pairs(server.env) }
    if (!greeting.takesHttpServers)
      throw createUnsupportedError(
        found.title,
        `the MCP server ${name} over HTTP`,
        'Give one that is a command.',
      )
    return { type: 'http', name, url: server.url, headers: pairs(server.headers) }
  })
}

/** Sets the initial mode or model. Failing to set a more permissive mode is not an error. */
async function choose(
  { found, link, request }: Opening,
  session: LiveSession,
  choices: Choices,
  value: string,
): Promise<void> {
  // The current value need not be offered, such as the model of the user's own provider.
  if (choices.current === value) return
  checkChoice(choices, value, found.title)
  const { kind, current } = choices
  try {
    await request(...choiceRequest(choices, session.id, value))
    choices.current = value
  } catch (error) {
    if (!RemoraError.is(error) || error.code === 'crashed') throw error
    // In its current mode the agent would do more than the caller allows.
    const isMode = kind === 'mode'
    const modes = link.modes(choices)
    const isWider =
      isMode && (current === undefined ? found.quirks.guessesMode : modes.isSelfApproving(current))
    const hint =
      error.code === 'unsupported' ? `Give the ${kind} to connect(), which sets it by a flag.` : error.hint
    if (!isMode || isWider || value === modes.toId('plan'))
      throw new RemoraError(error.code, error.message, { cause: error, ...(hint ? { hint } : {}) })
    const message = `The ${kind} ${value} could not be set: ${error.message}`
    await link.emit(session.id, [
      {
        type: 'error',
        entity: `${session.id}/${kind}`,
        code: error.code,
        severity: 'warning',
        message,
        hint,
      },
    ])
  }
}

/** The value that the agent was started with, unless only flags can set it. */
function started({ offered }: Choices, wanted: string | undefined): string | undefined {
  return offered.length > 0 ? wanted : undefined
}

/** Waits for silence, because the events of a replay would look new. */
async function quiet(opening: Opening, session: LiveSession, signal?: AbortSignal): Promise<void> {
  const { quietMs = 200 } = opening.options
  const began = Date.now()
  for (;;) {
    const left = Math.max(session.lastUpdateAt, began) + quietMs - Date.now()
    if (left <= 0 || Date.now() - began > longestReplayMs) return
    await sleep(Math.min(left, 100))
    opening.check()
    if (signal?.aborted) throw new RemoraError('aborted', 'Opening the session was cancelled')
  }
}

async function checkFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined)
  if (!found?.isDirectory())
    throw new RemoraError('input', `There is no folder ${cwd}`, { hint: 'Give an existing folder.' })
}

function readSessionId(result: AgentRecord, title: string): string {
  const id = asString(result['sessionId'])
  if (id) return id
  throw new RemoraError('crashed', `${title} began a session without an id`, {
    hint: 'It may be too old, or no ACP agent.',
  })
}

function notFound(title: string, id: string, cwd: string, cause?: unknown): RemoraError {
  return new RemoraError('not_found', `${title} has no session ${id} in ${cwd}`, {
    hint: 'See remora sessions for those that there are.',
    cause,
  })
}

/** An agent reports a missing sign-in when the first session starts. */
function withAuth(error: unknown, { found, greeting }: Opening): unknown {
  if (!RemoraError.is(error) || error.code !== 'auth') return error
  const { authMethods: signIn } = greeting
  const ways = signIn.map(({ id }) => id).join(', ')
  return new RemoraError('auth', error.message, {
    hint: `Sign in with ${found.title} itself, or set its key.${ways ? ` Its ways: ${ways}.` : ''}`,
    cause: error,
    ...(signIn.length > 0 ? { signIn } : {}),
  })
}

/** Sends a request to the agent. */
type Request = (method: string, params: object) => Promise<AgentRecord>

/** Makes requests reject when the signal aborts. */
function makeAbortable(request: Request, signal: AbortSignal | undefined): Request {
  if (!signal) return request
  return async (method, params) => {
    const cancelled = (): RemoraError =>
      new RemoraError('aborted', 'Opening the session was cancelled', { cause: signal.reason })
    if (signal.aborted) throw cancelled()
    let abort!: () => void
    const aborted = new Promise<never>((_, reject) => (abort = () => reject(cancelled())))
    signal.addEventListener('abort', abort)
    try {
      return await Promise.race([request(method, params), aborted])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}

/** How often to retry opening a session that is still being closed, and the delay. */
const busyTries = 12
const busyRetryMs = 250

/** Retries a request while the session is still being closed. */
function retryWhileBusy(request: Request, lingering: RegExp | undefined): Request {
  return async (method, params) => {
    for (let tries = 1; ; tries++) {
      try {
        return await request(method, params)
      } catch (error) {
        const passes = RemoraError.is(error) && lingering?.test(error.message) === true
        if (!passes || tries === busyTries) throw error
        await sleep(busyRetryMs)
      }
    }
  }
}
