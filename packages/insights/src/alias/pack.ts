import { RemoraError } from '@remora/protocol/plain'
import { type Alias, checkAlias, sameAlias } from './alias.ts'

/** A file of aliases to share. It does not contain their dates of creation. */
export interface AliasPack extends PackAbout {
  readonly version: 1
  readonly aliases: readonly Omit<Alias, 'createdAt'>[]
}

/** A description of a pack for its users. */
export interface PackAbout {
  readonly name?: string
  readonly description?: string
  readonly author?: string
}

/** @example createPack(aliases, { name: 'python', author: 'me' }) */
export function createPack(aliases: readonly Alias[], about: PackAbout = {}): AliasPack {
  return { version: 1, ...about, aliases: aliases.map(withoutDate) }
}

function withoutDate(alias: Alias): Omit<Alias, 'createdAt'> {
  const { createdAt: _, ...rest } = alias
  return rest
}

/**
 * Reads a shared file of aliases. Throws `config` for any other content, and for the first invalid alias.
 *
 * @example const { aliases } = readPack(parse(text), new Date().toISOString())
 */
export function readPack(value: unknown, createdAt: string): PackAbout & { readonly aliases: Alias[] } {
  const { version, name, description, author, aliases } = requireTable(value)
  if (!Array.isArray(aliases)) throw wrong('it has no list "aliases"')
  if (version !== undefined && version !== 1) throw wrong(`its version is ${JSON.stringify(version)}, not 1`)
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof author === 'string' ? { author } : {}),
    aliases: aliases.map((entry: unknown, index) => {
      const { kind, from, to, tool, param, command, agent, message } = requireTable(entry)
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

/** The result of `mergeAliases`. */
export interface Merged {
  readonly aliases: Alias[]
  readonly added: Alias[]
  readonly replaced: Alias[]
  readonly skipped: Alias[]
}

/**
 * Adds aliases to the existing ones; `conflict` decides between two that replace the same thing.
 *
 * @example mergeAliases(own, pack.aliases, 'skip')
 */
export function mergeAliases(
  own: readonly Alias[],
  others: readonly Alias[],
  conflict: 'skip' | 'overwrite',
): Merged {
  const merged: Merged = { aliases: [...own], added: [], replaced: [], skipped: [] }
  for (const alias of others) {
    const index = merged.aliases.findIndex((each) => sameAlias(each, alias))
    if (index < 0) {
      merged.aliases.push(alias)
      merged.added.push(alias)
    } else if (conflict === 'overwrite' && differs(merged.aliases[index]!, alias)) {
      merged.aliases[index] = alias
      merged.replaced.push(alias)
    } else merged.skipped.push(alias)
  }
  return merged
}

function differs(one: Alias, other: Alias): boolean {
  return one.to !== other.to || one.message !== other.message
}

function requireTable(value: unknown): Readonly<Record<string, unknown>> {
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
