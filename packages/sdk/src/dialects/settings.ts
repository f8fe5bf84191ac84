import { readFile } from 'node:fs/promises'
import { parse as parseJsonc, type ParseError } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import type { Problem } from '../contract/agent.ts'
import { describeJsonError } from '../files/jsonc-text.ts'

/** A settings file of a CLI. A malformed file is reported as a problem. */
export interface Settings {
  readonly file: string
  readonly exists: boolean
  /** The value at a path of keys, or undefined. */
  get(...keys: string[]): unknown
  readonly problems: readonly Problem[]
}

/**
 * Reads JSON with comments, and with trailing commas unless the CLI rejects them.
 *
 * @example (await readJsonSettings('/home/me/.gemini/settings.json')).get('general', 'vimMode')
 */
export function readJsonSettings(file: string, { trailingCommas = true } = {}): Promise<Settings> {
  return readSettings(file, (text) => {
    const errors: ParseError[] = []
    const value: unknown = parseJsonc(text, errors, {
      allowTrailingComma: trailingCommas,
      allowEmptyContent: true,
    })
    const [first] = errors
    if (first === undefined) return value ?? {}
    throw new Error(describeJsonError(text, first))
  })
}

/** Reads TOML. @example (await readTomlSettings('/home/me/.codex/config.toml')).get('model') */
export function readTomlSettings(file: string): Promise<Settings> {
  return readSettings(file, (text) => {
    try {
      return parseToml(text)
    } catch (error) {
      // The rest of the parser's message quotes the file, which may contain a key.
      const { message, line } = error as Error & { line?: number }
      throw new Error(`line ${line ?? '?'}: ${message.split('\n')[0]}`, { cause: error })
    }
  })
}

async function readSettings(file: string, parse: (text: string) => unknown): Promise<Settings> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return settings(file, false, {})
    const hint = `Check what ${file} is and who may read it: ls -l ${file}`
    return settings(
      file,
      true,
      {},
      { code: 'bad_settings', message: `${file} cannot be read (${code})`, hint },
    )
  }
  try {
    const value = parse(text.replace(/^\uFEFF/, ''))
    if (isObject(value)) return settings(file, true, value)
    throw new Error('it holds no object')
  } catch (error) {
    const message = `${file} is malformed: ${(error as Error).message}`
    const hint = 'Correct it by hand; until then the CLI ignores it or refuses to start.'
    return settings(file, true, {}, { code: 'bad_settings', message, hint })
  }
}

function settings(file: string, exists: boolean, value: object, problem?: Problem): Settings {
  return {
    file,
    exists,
    problems: problem ? [problem] : [],
    get(...keys) {
      let current: unknown = value
      for (const key of keys) {
        if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
        current = current[key]
      }
      return current
    },
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reports a file that the CLI silently ignores because of a comment, a trailing comma or a byte order mark. */
export async function checkStrictJson(
  title: string,
  file: string,
  { byteOrderMark = true } = {},
): Promise<Problem[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  try {
    if (text !== undefined) JSON.parse(byteOrderMark ? text.replace(/^\uFEFF/, '') : text)
    return []
  } catch {
    return [
      {
        code: 'bad_settings',
        message: `${title} ignores ${file}: it is not strictly JSON`,
        hint: `Take comments and trailing commas out of it; ${title} allows none there.`,
      },
    ]
  }
}
