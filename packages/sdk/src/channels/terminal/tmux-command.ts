import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RemoraError } from '@remora/protocol/plain'
import { createStartError } from './run-tmux.ts'

/**
 * Quotes an argument for tmux's parser, which reads the input of a control client. Whatever the text contains (quotes, `;`,
 * `$`, `~`, line breaks), it stays one argument with the same text. NUL is not possible and left out.
 *
 * @example quoteArgument('a;b "c"\n') // "a\073b \042c\042\012"
 */
export function quoteArgument(text: string): string {
  return `"${text.replaceAll(/\0/g, '').replaceAll(special, toOctal)}"`
}

/** One command line. @example formatCommand(['send-keys', '-t', '%1', '-l', '--', text]) */
export function formatCommand(args: readonly string[]): string {
  return args.map(quoteArgument).join(' ')
}

/** A safe session name: tmux expands formats in it, which may contain shell commands, and changes `.` and `:`. */
export function toSessionName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 100) || 'remora'
}

// Characters with a special meaning for the parser, and all control characters.
// oxlint-disable-next-line no-control-regex
const special = /[\u0000-\u001F"#$%;\\~{}'\u007F]/g

function toOctal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/** The first version that pauses a slow client and accepts variables for a new session. */
const minimum = [3, 2] as const

/** Throws if tmux is missing or too old. @example await checkTmux() */
export async function checkTmux(): Promise<void> {
  const { stdout } = await promisify(execFile)('tmux', ['-V']).catch((error: unknown) => {
    throw createStartError(error)
  })
  const version = stdout.trim().replace(/^tmux /, '')
  if (isRecent(version)) return
  throw new RemoraError('config', `tmux ${version} is too old for terminals`, {
    hint: `Install tmux ${minimum.join('.')} or later.`,
  })
}

/** @example isRecent('3.3a') // true */
export function isRecent(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  // A development build has no version number.
  if (major === undefined) return true
  return Number(major) > minimum[0] || (Number(major) === minimum[0] && Number(minor) >= minimum[1])
}
