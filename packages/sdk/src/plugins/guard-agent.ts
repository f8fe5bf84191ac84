import { RemoraError } from '@remora/protocol/plain'
import { Event } from '@remora/protocol'
import type { Agent, Features } from '../contract/agent.ts'
import { ProblemsShape, ScreenShape, listFaults } from './agent-shape.ts'

type Fn = (...args: readonly unknown[]) => unknown
type Fields = Readonly<Record<string, unknown>>

const noFeatures: Features = {
  interrupt: false,
  resume: false,
  fork: false,
  attach: false,
  statusLine: false,
  images: false,
  streaming: false,
  webSearch: false,
  thinking: false,
  slashCommands: false,
  models: [],
  effortLevels: [],
}

/**
 * Results in place of those of a function that throws, for functions that are called on behalf of all agents: listing
 * sessions or agents must not fail because of one plugin. Every other function may throw, which fails only its own session.
 */
const fallbacks: Readonly<Record<string, (message: string, args: readonly unknown[]) => unknown>> = {
  features: () => noFeatures,
  health: async (message) => [
    { code: 'plugin_failed', message, hint: 'Report it to the author of the plugin.' },
  ],
  getContextWindow: () => undefined,
  'commands.written': async () => [],
  'headless.reader.end': (message) => ({ ok: false, failure: { message } }),
  'headless.reader.findStopReason': () => undefined,
  'hooks.obstacles': async () => [],
  'hooks.reader.state': () => undefined,
  // Nothing is below a file, so no session is found.
  'transcripts.root': () => `${process.execPath}/none`,
  'transcripts.archiveRoot': () => `${process.execPath}/none`,
  'transcripts.isSession': () => false,
  'transcripts.isOwnRecord': () => false,
  'transcripts.format': () => 'lines',
  'transcripts.parts': () => [],
  'transcripts.belongs': () => false,
  'transcripts.summaryReader': () => undefined,
  'transcripts.guard': async () => undefined,
  'transcripts.findAppliedGuard': async () => undefined,
  'transcripts.reader.state': () => undefined,
  'transcripts.reader.flush': () => [],
  'transcripts.reader.isWaiting': () => false,
  'transcripts.reader.needsEveryRecord': () => false,
  'terminal.read': (message) => ({ state: 'error', error: message }),
  'terminal.findSessionId': () => undefined,
  'acp.toClaude': (_, [name, input]) => ({ name, input }),
  'acp.nativeName': () => undefined,
  'acp.readAskedInput': () => undefined,
  'acp.readUsage': () => undefined,
  'acp.hostTool': () => undefined,
  'acp.obstacles': async () => [],
  'tools.*.toInput': (_, [input]) => input,
}

/** Throws if a function returned something that Remora cannot store or show. */
const checks: Readonly<Record<string, (result: unknown) => void>> = {
  'terminal.read': (result) => refuseFaults(listFaults(ScreenShape, result, 'result')),
  health: (result) => refuseFaults(listFaults(ProblemsShape, result, 'result')),
  'headless.reader.read': checkEvents,
  'headless.reader.readError': checkEvents,
  'transcripts.reader.read': checkRecord,
  'transcripts.reader.flush': checkEvents,
  'hooks.reader.read': checkRecord,
}

/** Functions whose result has functions of its own. */
const factories = /^(?:headless|hooks|transcripts)\.reader$/

/**
 * Guards the functions of an agent that Remora did not ship: an error names the plugin, and affects no other agent.
 *
 * @example registerAgent(guardAgent(agent))
 */
export function guardAgent(agent: Agent): Agent {
  return guardFields(agent as unknown as Fields, '', agent.title) as unknown as Agent
}

function guardFields(fields: Fields, path: string, title: string): Fields {
  const guarded = Object.keys(fields).map((key) => {
    const name = path === 'tools' ? 'tools.*' : path === '' ? key : `${path}.${key}`
    return [key, guardValue(fields, fields[key], name, title)]
  })
  return Object.fromEntries(guarded) as Fields
}

function guardValue(owner: Fields, value: unknown, path: string, title: string): unknown {
  if (typeof value === 'function') return guardFunction(owner, value as Fn, path, title)
  if (Array.isArray(value)) return value.map((each) => guardValue(owner, each, path, title))
  return isPlain(value) ? guardFields(value, path, title) : value
}

function guardFunction(owner: Fields, call: Fn, path: string, title: string): Fn {
  const fallback = Object.hasOwn(fallbacks, path) ? fallbacks[path] : undefined
  const check = Object.hasOwn(checks, path) ? checks[path] : undefined
  const handle = (error: unknown, args: readonly unknown[]): unknown => {
    const named = RemoraError.is(error) && !fallback ? error : nameError(error, path, title)
    if (fallback) return fallback(named.message, args)
    throw named
  }
  return (...args) => {
    try {
      const result = call.apply(owner, args as unknown[])
      if (result instanceof Promise)
        return result
          .then((value: unknown) => {
            check?.(value)
            return value
          })
          .catch((error: unknown) => handle(error, args))
      check?.(result)
      return factories.test(path) ? guardReader(result, path, title) : result
    } catch (error) {
      return handle(error, args)
    }
  }
}

/** A reader may be an instance of a class, so its methods are found by name. */
function guardReader(reader: unknown, path: string, title: string): unknown {
  const methods = [
    'read',
    'readError',
    'findStopReason',
    'end',
    'state',
    'flush',
    'isWaiting',
    'needsEveryRecord',
  ]
  const owner = reader as Fields
  return Object.fromEntries(
    methods.flatMap((name) =>
      typeof owner[name] === 'function'
        ? [[name, guardFunction(owner, owner[name] as Fn, `${path}.${name}`, title)]]
        : [],
    ),
  )
}

/** A reader of records returns undefined for an unknown one. */
function checkRecord(result: unknown): void {
  if (result !== undefined) checkEvents(result)
}

function checkEvents(result: unknown): void {
  if (!Array.isArray(result)) throw new TypeError('result: must be a list of events')
  for (const event of result) refuseFaults(listFaults(Event, event, 'event'))
}

function refuseFaults([fault]: { readonly part: string; readonly message: string }[]): void {
  if (fault) throw new TypeError(`${fault.part}: ${fault.message}`)
}

function nameError(error: unknown, path: string, title: string): RemoraError {
  const message = error instanceof Error ? error.message : String(error)
  return new RemoraError('config', `The plugin of ${title} failed in ${path}: ${message}`, {
    hint: 'Report it to the author of the plugin.',
    cause: error,
  })
}

function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
