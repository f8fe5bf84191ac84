import { isAbsolute } from 'node:path'
import { RemoraError, promptKinds } from '@remora/protocol/plain'
import { asRecord } from '../../events/fields.ts'
import { checkPermissions } from './permissions/check-permissions.ts'
import type { ConnectOptions, OpenOptions, PromptOptions } from './options.ts'

// Checked by hand, because schemas take longer to load than most agents take to start.
type Kind = { readonly is: (value: unknown) => boolean; readonly description: string }

const text: Kind = { is: (value) => typeof value === 'string' && value !== '', description: 'a text' }
const flag: Kind = { is: (value) => typeof value === 'boolean', description: 'true or false' }
const above: Kind = {
  is: (value) => typeof value === 'number' && value > 0,
  description: 'a number above zero',
}
const object: Kind = { is: (value) => asRecord(value) !== undefined, description: 'an object' }
const list: Kind = { is: Array.isArray, description: 'a list' }
const signal: Kind = { is: (value) => value instanceof AbortSignal, description: 'an AbortSignal' }
const anything: Kind = { is: () => true, description: 'anything' }
const withMethod = (name: string): Kind => ({
  is: (value) => typeof (value as Record<string, unknown> | null)?.[name] === 'function',
  description: `an object with a method ${name}`,
})
const oneOf = (...description: readonly string[]): Kind => ({
  is: (value) => description.includes(value as string),
  description: `one of ${description.join(', ')}`,
})
const either = (one: Kind, other: Kind): Kind => ({
  is: (value) => one.is(value) || other.is(value),
  description: `${one.description}, or ${other.description}`,
})

const connectKinds: Readonly<Record<keyof ConnectOptions, Kind>> = {
  permissions: anything,
  asks: withMethod('ask'),
  sink: withMethod('write'),
  env: object,
  cwd: text,
  startupTimeout: above,
  mode: text,
  model: text,
  files: object,
  terminals: either(flag, object),
  quietMs: above,
  stuck: object,
  signal,
}

const openKinds: Readonly<Record<keyof OpenOptions, Kind>> = {
  cwd: { is: (value) => typeof value === 'string' && isAbsolute(value), description: 'an absolute path' },
  model: text,
  mode: text,
  tools: list,
  toolRules: object,
  structuredOutput: flag,
  mcpServers: object,
  signIn: text,
  resume: text,
  fork: flag,
  budget: object,
  signal,
}

const isMoment = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime())

const promptOptionKinds: Readonly<Record<keyof PromptOptions, Kind>> = {
  kind: oneOf(...promptKinds),
  output: withMethod('safeParse'),
  signal,
  deadline: either(above, { is: isMoment, description: 'a Date' }),
  budget: object,
  until: { is: (value) => typeof value === 'function', description: 'a function' },
  rounds: { is: (value) => Number.isInteger(value) && (value as number) >= 0, description: 'a whole number' },
}

/** Throws for invalid options, because a misspelt option would silently do nothing. */
export function checkConnectOptions(options: ConnectOptions): void {
  check('connect', options, connectKinds)
  const { permissions, asks, stuck } = options
  if (stuck) check('connect: stuck', stuck, { afterMs: above, act: oneOf('tell', 'cancel', 'restart') })
  if (options.files) check('connect: files', options.files, { read: flag, write: flag })
  if (permissions === undefined) return
  checkPermissions(permissions)
  const ways =
    typeof permissions === 'string'
      ? [permissions]
      : [permissions.otherwise, ...permissions.rules.map(({ decide }) => decide)]
  if (ways.includes('ask') && !asks)
    throw new RemoraError('usage', 'connect: permissions that ask need the option asks', {
      hint: 'Give asks, or choose allow or deny.',
    })
}

export function checkOpenOptions(options: OpenOptions): void {
  if (asRecord(options)?.['cwd'] === undefined)
    throw new RemoraError('usage', 'open: there is no cwd', { hint: 'Say in which folder the agent works.' })
  check('open', options, openKinds)
  if (options.fork && options.resume === undefined)
    throw new RemoraError('usage', 'open: fork needs resume', { hint: 'Say which session to branch off.' })
}

export function checkPromptOptions(options: PromptOptions): void {
  check('prompt', options, promptOptionKinds)
}

function check(where: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void {
  const hint = 'See docs/acp.md for the options.'
  const fields = asRecord(options)
  if (!fields) throw new RemoraError('usage', `${where}: the options are no object`, { hint })
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (!kind)
      throw new RemoraError('usage', `${where}: there is no option ${name}`, {
        hint: `There are: ${Object.keys(kinds).join(', ')}`,
      })
    if (!kind.is(value))
      throw new RemoraError('usage', `${where}: ${name} is not ${kind.description}`, { hint })
  }
}
