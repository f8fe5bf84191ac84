import { parseArgs } from 'node:util'
import { UsageError } from '../command/errors.ts'
import { nearest } from '../command/nearest.ts'
import { type Input, type Option, type Verb, commonOptions } from '../command/verb.ts'

/** Parses a verb's command line. Unlike Node's strict mode, errors suggest the nearest option. */
export function parse(verb: Verb, words: readonly string[]): Input {
  const known = { ...verb.options, ...commonOptions }
  const seeHelp = `See: remora ${verb.name} --help`
  const { tokens, values } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(known).map(([name, { value, short, optional }]) => [
        name,
        {
          type: value === undefined || optional ? ('boolean' as const) : ('string' as const),
          ...(short ? { short } : {}),
        },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const lists: Record<string, string[]> = {}
  const positionals: string[] = []
  const handedOn =
    verb.rest === undefined ? undefined : tokens.find(({ kind }) => kind === 'option-terminator')
  for (const token of tokens) {
    if (token.kind === 'positional' && !(handedOn && token.index > handedOn.index))
      positionals.push(token.value)
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
    if (!option) {
      const near = nearest(token.name, Object.keys(known))
      throw new UsageError(
        `Unknown option ${token.rawName} for remora ${verb.name}`,
        near ? `Did you mean --${near}?` : seeHelp,
      )
    }
    if (option.value !== undefined && token.value === undefined && !option.optional)
      throw new UsageError(`${token.rawName} needs a value`, seeHelp)
    if (option.value === undefined && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`, seeHelp)
    if (option.choices && !option.choices.includes(token.value ?? ''))
      throw new UsageError(
        `Invalid value "${token.value}" for ${token.rawName}`,
        `One of: ${option.choices.join(', ')}`,
      )
    if (option.many) (lists[token.name] ??= []).push(token.value ?? '')
  }
  const slots = verb.positionals ?? []
  const behind = positionals.length > slots.length ? wordBehindOptional(known, tokens) : undefined
  if (behind) {
    values[behind.option] = behind.word
    positionals.splice(positionals.indexOf(behind.word), 1)
  }
  const lacking = slots.find((slot, index) => slot.required && positionals[index] === undefined)
  if (lacking && !values['help']) throw new UsageError(`remora ${verb.name} needs <${lacking.name}>`, seeHelp)
  if (positionals.length > slots.length && !slots.at(-1)?.many)
    throw new UsageError(
      `Unexpected argument "${positionals[slots.length]}" for remora ${verb.name}`,
      seeHelp,
    )
  return { values, lists, positionals, rest: handedOn ? words.slice(handedOn.index + 1) : [] }
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** Reads `--worktree fix` as `--worktree=fix` if there are too many positionals otherwise. */
function wordBehindOptional(
  known: Readonly<Record<string, Option>>,
  tokens: readonly Token[],
): { option: string; word: string } | undefined {
  for (const [place, token] of tokens.entries()) {
    const next = tokens[place + 1]
    if (
      token.kind === 'option' &&
      token.value === undefined &&
      known[token.name]?.optional &&
      next?.kind === 'positional'
    )
      return { option: token.name, word: next.value }
  }
  return undefined
}
