import { RemoraError } from '@remora/protocol/plain'
import { type Alias, checkAlias, sameAlias } from './alias.ts'

/** Aliases to hand on: a file that others can import. When they were made stays with whoever made them. */
export interface AliasPack extends PackAbout {
  readonly version: 1
  readonly aliases: readonly Omit<Alias, 'createdAt'>[]
}

export interface PackAbout {
  readonly name?: string
  readonly description?: string
  readonly author?: string
}

/** @example packOf(aliases, { name: 'python', author: 'me' }) */
export function packOf(aliases: readonly Alias[], about: PackAbout = {}): AliasPack {
  return { version: 1, ...about, aliases: aliases.map(withoutDate) }
}

function withoutDate(alias: Alias): Omit<Alias, 'createdAt'> {
  const { createdAt: _, ...rest } = alias
  return rest
}

/**
 * Reads what somebody handed on. Throws `config` for anything else, and for the first alias that is wrong.
 *
 * @example const { aliases } = readPack(parse(text), new Date().toISOString())
 */
export function readPack(value: unknown, createdAt: string): PackAbout & { readonly aliases: Alias[] } {
  const { version, name, description, author, aliases } = fieldsOf(value)
  if (!Array.isArray(aliases)) throw wrong('it has no list "aliases"')
  if (version !== undefined && version !== 1) throw wrong(`its version is ${JSON.stringify(version)}, not 1`)
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof author === 'string' ? { author } : {}),
    aliases: aliases.map((entry: unknown, index) => {
      const { kind, from, to, tool, param, command, agent, message } = fieldsOf(entry)
      const alias = { kind, from, to, tool, param, command, agent, message, createdAt }
      try {
        const given = Object.entries(alias).filter(([, field]) => field !== undefined)
        if (from === undefined || to === undefined) throw wrong('"from" or "to" is missing')
        return checkAlias(Object.fromEntries(given) as unknown as Alias)
      } catch (cause) {
        throw wrong(`alias ${index + 1} is wrong: ${(cause as Error).message}`, cause)
      }
    }),
  }
}

export interface Merged {
  readonly aliases: Alias[]
  readonly added: Alias[]
  readonly replaced: Alias[]
  readonly skipped: Alias[]
}

/** Puts aliases beside those that are there; of two about the same thing one gives way. */
export function mergeAliases(
  own: readonly Alias[],
  others: readonly Alias[],
  conflict: 'skip' | 'overwrite',
): Merged {
  const merged: Merged = { aliases: [...own], added: [], replaced: [], skipped: [] }
  for (const alias of others) {
    const place = merged.aliases.findIndex((each) => sameAlias(each, alias))
    if (place < 0) {
      merged.aliases.push(alias)
      merged.added.push(alias)
    } else if (conflict === 'overwrite' && differs(merged.aliases[place]!, alias)) {
      merged.aliases[place] = alias
      merged.replaced.push(alias)
    } else merged.skipped.push(alias)
  }
  return merged
}

function differs(one: Alias, other: Alias): boolean {
  return one.to !== other.to || one.message !== other.message
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw wrong('it is not a table')
}

function wrong(why: string, cause?: unknown): RemoraError {
  return new RemoraError('config', `These are no aliases: ${why}`, {
    hint: 'Such files are written by: remora alias export',
    ...(cause === undefined ? {} : { cause }),
  })
}
