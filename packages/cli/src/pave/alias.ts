import { type Alias, type AliasKind, aliasText, checkAlias, sameAlias } from '@remora/insights'
import { colors } from '../colors.ts'
import { fail } from '../fail.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'
import type { Input } from '../verb.ts'
import { editAliases } from './alias-file.ts'

/** Adds an alias, or takes one away. */
export async function changeAlias(input: Input, io: Io): Promise<number> {
  if (input.values['delete']) return deleteAliases(input, io)
  const alias = checkAlias({ ...readAlias(input), createdAt: new Date().toISOString() })
  let replaced = false
  const { paved } = await editAliases(io, (aliases) => {
    replaced = aliases.some((each) => sameAlias(each, alias))
    return replaced ? aliases.map((each) => (sameAlias(each, alias) ? alias : each)) : [...aliases, alias]
  })
  if (input.values['json']) {
    io.out(`${JSON.stringify({ ...alias, replaced, paved }, null, 2)}\n`)
    return 0
  }
  const paint = await colors(input, io)
  const whose = alias.agent ?? 'every agent'
  io.out(`${paint.green('✓')} ${aliasText(alias)} (${alias.kind}, ${whose})${replaced ? ', changed' : ''}\n`)
  for (const line of nextSteps(alias, paved)) io.out(`  ${line}\n`)
  return 0
}

function nextSteps({ kind, from, to }: Alias, paved: boolean): string[] {
  if (kind === 'tool')
    return [
      ...(paved ? [] : ['Agents are told so once the hook is there: remora pave --hook']),
      'A CLI asks no hook about a tool that it does not have; that lesson goes into its memory file:',
      'remora pave --agents-md --append GEMINI.md',
      `If ${from} is a command of the shell: remora alias ${from} ${to} --replace`,
    ]
  return paved ? [] : ['It is made good once the hook is there: remora pave --hook']
}

async function deleteAliases({ values, positionals }: Input, io: Io): Promise<number> {
  const [, flagName] = /^([^,]+)/.exec(text(values['flag']) ?? '') ?? []
  const from = positionals[0] ?? (values['replace'] ? text(values['cmd']) : flagName)
  if (from === undefined) throw new UsageError('--delete needs an alias', 'See them: remora aliases')
  const matches = (alias: Alias): boolean =>
    (alias.from === from || (alias.kind === 'flag' && alias.from.replace(/^-+/, '') === from)) &&
    (['tool', 'param', 'agent'] as const).every((name) => !values[name] || alias[name] === values[name]) &&
    (!values['cmd'] || alias.command === values['cmd'] || alias.from === values['cmd'])
  let gone: Alias[] = []
  await editAliases(io, (aliases) => {
    gone = aliases.filter(matches)
    return aliases.filter((alias) => !matches(alias))
  })
  if (gone.length === 0)
    throw await fail('not_found', `There is no alias for "${from}"`, 'See them: remora aliases')
  if (values['json']) io.out(`${JSON.stringify(gone, null, 2)}\n`)
  else io.out(`Taken away: ${gone.map(aliasText).join(', ')}\n`)
  return 0
}

/** What the command line means: an option says which kind it is, and none means the name of a tool. */
function readAlias({ values, positionals }: Input): Omit<Alias, 'createdAt'> {
  const chosen = (['flag', 'replace', 'regex', 'recipe'] as const).filter((name) => values[name])
  if (chosen.length > 1)
    throw new UsageError(`--${chosen[0]} and --${chosen[1]} exclude each other`, 'Leave one of them out')
  const command = text(values['cmd'])
  const rest = Object.fromEntries(
    (['tool', 'param', 'agent', 'message'] as const).flatMap((name) => {
      const value = text(values[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const of = (kind: AliasKind, words: readonly (string | undefined)[], scope: Partial<Alias> = {}) => {
    const [from, to, more] = words
    if (from === undefined || to === undefined)
      throw new UsageError(
        'An alias needs what it stands for',
        'remora alias <from> <to>; see remora alias --help',
      )
    if (more !== undefined)
      throw new UsageError(`remora alias does not know what to do with "${more}"`, 'Put quotes around words')
    return { kind, from, to, ...rest, ...scope }
  }
  switch (chosen[0]) {
    case 'flag':
      return of('flag', [...flagPair(String(values['flag'])), ...positionals], command ? { command } : {})
    case 'replace':
      return of('command', [...(command === undefined ? [] : [command]), ...positionals])
    case 'recipe':
      return of('recipe', [...(command === undefined ? [] : [command]), ...positionals])
    case 'regex':
      return of('regex', positionals, command ? { command } : {})
    default: {
      const literal = command !== undefined || values['tool'] !== undefined || values['param'] !== undefined
      return of(literal ? 'literal' : 'tool', positionals, command ? { command } : {})
    }
  }
}

function flagPair(words: string): [string, string] {
  const comma = words.indexOf(',')
  if (comma > 0) return [words.slice(0, comma).trim(), words.slice(comma + 1).trim()]
  throw new UsageError(`--flag cannot be "${words}"`, 'The old one and the new one: --flag r,R')
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
