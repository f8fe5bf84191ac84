import { join, resolve } from 'node:path'
import type { Io } from '../command/io.ts'

/** The path that a person means. @example userPath('~/archive', io) // '/home/me/archive' */
export function userPath(word: string, { cwd, home }: Pick<Io, 'cwd' | 'home'>): string {
  return resolve(cwd, /^~(?=$|[/\\])/.test(word) ? join(home, word.slice(1)) : word)
}
