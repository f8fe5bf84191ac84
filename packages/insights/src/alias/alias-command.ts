import type { Alias } from './alias.ts'

/**
 * The command line that makes an alias, to paste.
 *
 * @example aliasCommand({ kind: 'command', from: 'pip', to: 'pip3' }) // 'remora alias pip pip3 --replace'
 */
export function aliasCommand(alias: Omit<Alias, 'createdAt'>): string {
  const { kind, from, to, tool, param, command, agent, message } = alias
  const words = ['remora', 'alias']
  if (kind === 'flag') words.push('--cmd', command ?? '', '--flag', `${from},${to}`)
  else {
    // Behind -- nothing is taken for an option.
    if (from.startsWith('-') || to.startsWith('-')) words.push('--')
    words.push(from, to)
  }
  const options: string[] = []
  if (kind === 'command') options.push('--replace')
  if (kind === 'recipe' || kind === 'regex') options.push(`--${kind}`)
  if (kind !== 'flag' && command !== undefined) options.push('--cmd', command)
  for (const [name, value] of Object.entries({ tool, param, agent, message }))
    if (value !== undefined) options.push(`--${name}`, value)
  const end = words.indexOf('--')
  const all = end < 0 ? [...words, ...options] : [...words.slice(0, end), ...options, ...words.slice(end)]
  return all.map(shellWord).join(' ')
}

/** A word as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
