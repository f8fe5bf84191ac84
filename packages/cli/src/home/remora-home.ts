import { join, resolve } from 'node:path'
import type { Io } from '../command/io.ts'

type Where = Pick<Io, 'env' | 'home'>

/** The folder of all state. @example remoraHome(io) // '/home/me/.remora' */
export function remoraHome(io: Where): string {
  return io.env['REMORA_HOME'] || join(io.home, '.remora')
}

export function configPath(io: Where): string {
  return join(remoraHome(io), 'config.json')
}

/** The default folder of archived months. */
export function archiveFolder(io: Where): string {
  return join(remoraHome(io), 'archive')
}

/** The agent settings that guard has changed, with their previous values. */
export function guardedPath(io: Where): string {
  return join(remoraHome(io), 'guarded.json')
}

export function ledgerPath(io: Where): string {
  return join(remoraHome(io), 'ledger.db')
}

/** Resolves a path, with `~` as the home folder. @example userPath('~/archive', io) // '/home/me/archive' */
export function userPath(word: string, { cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return resolve(cwd, /^~(?=$|[/\\])/.test(word) ? join(home, word.slice(1)) : word)
}
