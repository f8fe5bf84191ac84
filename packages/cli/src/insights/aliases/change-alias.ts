import { type Alias, type AliasKind, aliasText, checkAlias, sameAlias } from '@remora/insights'
import { fail, UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { colors } from '../../output/colors.ts'
import { editAliases } from './alias-file.ts'
import { getMemoryFile, profiles } from '@remora/sdk/profiles'

/** Adds or deletes an alias. */
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
  const whose = alias.agent ?? 'all agents'
  io.out(`${paint.green('✓')} ${aliasText(alias)} (${alias.kind}, ${whose})${replaced ? ', changed' : ''}\n`)
  for (const line of nextSteps(alias, paved)) io.out(`  ${line}\n`)
  return 0
}

function nextSteps({ kind, from, to }: Alias, paved: boolean): string[] {
  if (kind === 'tool')
    return [
      ...(paved ? [] : ['To apply it, install the hook: remora pave --hook']),
      'CLIs run no hook for unknown tools. Add a lesson to the memory file instead:',
      `remora pave --agents-md --append ${getMemoryFile(profiles[0]!)}`,
      `If ${from} is a shell command: remora alias ${from} ${to} --replace`,
    ]
  return paved ? [] : ['To apply it, install the hook: remora pave --hook']
}

async function deleteAliases({ values, positionals }: Input, io: Io): Promise<number> {
  const [, flagName] = /^([^,]+)/.exec(text(values['flag']) ?? '') ?? []
  const from = positionals[0] ?? (values['replace'] ? text(values['cmd']) : flagName)
  if (from === undefined) throw new UsageError('--delete needs an alias', 'List them: remora alias')
  const matches = (alias: Alias): boolean =>
    (alias.from === from || (alias.kind === 'flag' && alias.from.replace(/^-+/, '') === from)) &&
    (['tool', 'param', 'agent'] as const).every((name) => !values[name] || alias[name] === values[name]) &&
    (!values['cmd'] || alias.command === values['cmd'] || alias.from === values['cmd'])
  let gone: Alias[] = []
  await editAliases(io, (aliases) => {
    gone = aliases.filter(matches)
    return aliases.filter((alias) => !matches(alias))
  })
  if (gone.length === 0) throw await fail('not_found', `No alias for "${from}"`, 'List them: remora alias')
  if (values['json']) io.out(`${JSON.stringify(gone, null, 2)}\n`)
  else io.out(`Deleted: ${gone.map(aliasText).join(', ')}\n`)
  return 0
}

/** Reads the alias from the command line. Without an option for its kind, it is a tool name. */
function readAlias({ values, positionals }: Input): Omit<Alias, 'createdAt'> {
  const chosen = (['flag', 'replace', 'regex', 'recipe'] as const).filter((name) => values[name])
  if (chosen.length > 1)
    throw new UsageError(`--${chosen[0]} and --${chosen[1]} cannot be combined`, 'Leave one of them out')
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
      throw new UsageError('remora alias needs <from> and <to>', 'See: remora alias --help')
    if (more !== undefined)
      throw new UsageError(
        `Unexpected argument "${more}" for remora alias`,
        'Quote text that contains spaces',
      )
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
  throw new UsageError(`Invalid value "${words}" for --flag`, 'Use old,new: --flag r,R')
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
