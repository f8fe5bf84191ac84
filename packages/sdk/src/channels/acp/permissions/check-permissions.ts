import { isAbsolute } from 'node:path'
import { inspect } from 'node:util'
import { RemoraError } from '@remora/protocol/plain'
import { asRecord } from '../../../events/fields.ts'
import { isPlain } from './commands.ts'
import { alternatives } from './globs.ts'
import { type Permissions, isAllow } from './rules.ts'

const ways: readonly unknown[] = ['allow', 'ask', 'deny', 'auto']
const kinds = 'read edit delete move search execute think fetch switch_mode other'.split(' ')
const names = ['decide', 'tool', 'kind', 'path', 'command']

/**
 * Throws `usage` for invalid permissions, because a misspelt field would silently make a rule wider or never match.
 *
 * @example checkPermissions({ rules: [{ decide: 'allow', command: 'npm *' }], otherwise: 'ask' })
 */
export function checkPermissions(permissions: Permissions): void {
  if (ways.includes(permissions)) return
  const fields = asRecord(permissions)
  if (!fields || !Array.isArray(fields['rules']))
    throw bad('Permissions', permissions, "are 'allow', 'ask', 'deny', or { rules, otherwise }")
  for (const name of Object.keys(fields))
    if (name !== 'rules' && name !== 'otherwise') throw bad('Permissions', permissions, `have no ${name}`)
  if (fields['otherwise'] !== undefined && !ways.includes(fields['otherwise']))
    throw bad('Otherwise', fields['otherwise'], "is none of 'allow', 'ask' and 'deny'")
  for (const [index, rule] of (fields['rules'] as unknown[]).entries()) {
    const problem = findProblem(rule)
    if (problem !== undefined) throw bad(`Permission rule ${index + 1}`, rule, problem)
  }
}

function findProblem(value: unknown): string | undefined {
  const rule = asRecord(value)
  if (!rule) return 'is no object'
  const { decide, kind, path, command } = rule
  const stranger = Object.keys(rule).find((name) => !names.includes(name))
  if (stranger !== undefined) return `has ${stranger}, which no rule has`
  if (!ways.includes(decide)) return "must decide 'allow', 'ask' or 'deny'"
  for (const name of names.slice(1)) {
    const given = rule[name]
    if (given === undefined || (name === 'command' && given instanceof RegExp)) continue
    if (typeof given !== 'string' || given.trim() === '') return `has a ${name} that is no text`
  }
  // An agent may have its own kinds, which the protocol prefixes like this.
  if (typeof kind === 'string' && !kinds.includes(kind) && !kind.startsWith('_'))
    return `has the kind ${kind}, which is none of ${kinds.join(', ')}`
  if (typeof path === 'string') return pathProblem(path)
  if (typeof command === 'string' && isAllow(decide) && command.includes('*') && !isPlain(command))
    return 'can never fit: a command of several parts is allowed only word by word, or by a RegExp'
  return undefined
}

function pathProblem(path: string): string | undefined {
  if (path.split(/[\\/]/).includes('..')) return 'has a path with .., which never fits'
  if (path.startsWith('~')) return 'has a path with ~, which is not expanded'
  if (!isAbsolute(path) && path.includes('\\')) return 'has a path with \\; folders are separated by /'
  if (path.split('/').some((name) => name.includes('**') && name !== '**'))
    return 'has a path with ** next to other characters; ** matches whole folders only'
  return alternatives(path).length === 0 ? 'has a path with too many alternatives' : undefined
}

function bad(what: string, value: unknown, problem: string): RemoraError {
  const shown = inspect(value, { breakLength: Infinity, depth: 3 })
  return new RemoraError('usage', `${what} ${shown} ${problem}`, {
    hint: "For example: { decide: 'allow', tool: 'Edit', path: 'src/**' }",
  })
}
