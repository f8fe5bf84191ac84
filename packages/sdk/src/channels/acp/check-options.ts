import { isAbsolute } from 'node:path'
import { RemoraError, promptKinds } from '@remora/protocol/plain'
import { asRecord } from '../../events/fields.ts'
import { modeWords } from '../../contract/modes.ts'
import { checkPermissions } from './permissions/check-permissions.ts'
import type { ConnectOptions, OpenOptions, PromptOptions } from './options.ts'

// By hand and not by schemas: those take longer to load than the agents that most programs start.
type Kind = { readonly is: (value: unknown) => boolean; readonly words: string }

const text: Kind = { is: (value) => typeof value === 'string' && value !== '', words: 'a text' }
const flag: Kind = { is: (value) => typeof value === 'boolean', words: 'true or false' }
const above: Kind = { is: (value) => typeof value === 'number' && value > 0, words: 'a number above zero' }
const object: Kind = { is: (value) => asRecord(value) !== undefined, words: 'an object' }
const list: Kind = { is: Array.isArray, words: 'a list' }
const signal: Kind = { is: (value) => value instanceof AbortSignal, words: 'an AbortSignal' }
const anything: Kind = { is: () => true, words: 'anything' }
const withMethod = (name: string): Kind => ({
  is: (value) => typeof (value as Record<string, unknown> | null)?.[name] === 'function',
  words: `an object with a method ${name}`,
})
const oneOf = (...words: readonly string[]): Kind => ({
  is: (value) => words.includes(value as string),
  words: `one of ${words.join(', ')}`,
})
const either = (one: Kind, other: Kind): Kind => ({
  is: (value) => one.is(value) || other.is(value),
  words: `${one.words}, or ${other.words}`,
})

const connectKinds: Readonly<Record<keyof ConnectOptions, Kind>> = {
  permissions: anything,
  asks: withMethod('ask'),
  sink: withMethod('write'),
  env: object,
  cwd: text,
  startupTimeout: above,
  mode: oneOf(...modeWords),
  model: text,
  files: object,
  terminals: either(flag, object),
  quietMs: above,
  stuck: object,
  signal,
}

const openKinds: Readonly<Record<keyof OpenOptions, Kind>> = {
  cwd: { is: (value) => typeof value === 'string' && isAbsolute(value), words: 'an absolute path' },
  model: text,
  mode: text,
  tools: list,
  toolRules: object,
  structuredOutput: flag,
  mcpServers: object,
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
  deadline: either(above, { is: isMoment, words: 'a Date' }),
  budget: object,
  until: { is: (value) => typeof value === 'function', words: 'a function' },
  rounds: { is: (value) => Number.isInteger(value) && (value as number) >= 0, words: 'a whole number' },
}

/** Throws where a program is mistaken: an option that is misspelt would do nothing, and nobody would notice. */
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
    throw new RemoraError('usage', 'connect: permissions that ask need somebody to ask', {
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
    if (!kind.is(value)) throw new RemoraError('usage', `${where}: ${name} is not ${kind.words}`, { hint })
  }
}
