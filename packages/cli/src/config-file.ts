import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { agents } from '@remora/sdk'
import { type ParseError, applyEdits, modify, parse } from 'jsonc-parser'
import type { Io } from './io.ts'
import { configPath } from './remora-home.ts'

/** A setting that exists, and what else can decide it. */
export interface Setting {
  readonly key: string
  readonly description: string
  /** The variable that beats the file. */
  readonly variable: string
  readonly fallback?: string
  readonly choices?: readonly string[]
  /** Whether its value is the path of a file. */
  readonly path?: boolean
}

export type SettingSource = 'environment' | 'file' | 'default'

export function settings(): Setting[] {
  return [
    {
      key: 'color',
      description: 'When to colour the output',
      variable: 'REMORA_COLOR',
      fallback: 'auto',
      choices: ['auto', 'always', 'never'],
    },
    ...agents().map((agent) => ({
      key: `${agent.id}.path`,
      description: `The ${agent.title} executable to use`,
      variable: agent.detection.variable,
      path: true,
    })),
  ]
}

export interface Config {
  get(key: string): string | undefined
  source(key: string): SettingSource
}

/** Reads the settings: the environment over the file over the default. */
export async function loadConfig(io: Pick<Io, 'env' | 'home'>): Promise<Config> {
  const values = readText(await readConfigText(io), configPath(io))
  const known = new Map(settings().map((setting) => [setting.key, setting]))
  const fromEnvironment = (key: string) => io.env[known.get(key)?.variable ?? ''] || undefined
  return {
    get(key) {
      const setting = known.get(key)
      const variable = fromEnvironment(key)
      const value = variable ?? values[key] ?? setting?.fallback
      if (value === undefined || fits(value, setting)) return value
      const where = variable === undefined ? `${key} in ${configPath(io)}` : setting?.variable
      throw new RemoraError('config', `${where} cannot be ${JSON.stringify(value)}`, {
        hint: setting?.choices ? `One of: ${setting.choices.join(', ')}` : 'It must be a text.',
      })
    },
    source: (key) => (fromEnvironment(key) ? 'environment' : values[key] === undefined ? 'default' : 'file'),
  }
}

/** Changes one setting, or removes it. Comments and the rest of the file stay as they are. */
export async function writeSetting(
  io: Pick<Io, 'env' | 'home'>,
  key: string,
  value: string | undefined,
): Promise<void> {
  const file = configPath(io)
  const text = await readConfigText(io)
  readText(text, file)
  const edits = modify(text || '{}', [key], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Complete before it has its name: a reader sees the old file or the new one, never half of one.
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, applyEdits(text || '{}', edits).trimEnd() + '\n', { mode: 0o600 })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

async function readConfigText(io: Pick<Io, 'env' | 'home'>): Promise<string> {
  try {
    return await readFile(configPath(io), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new RemoraError('config', `Cannot read ${configPath(io)}: ${(cause as Error).message}`, {
      hint: 'Check the file and its permissions, or point REMORA_HOME somewhere else.',
      cause,
    })
  }
}

function fits(value: unknown, setting: Setting | undefined): value is string {
  return typeof value === 'string' && (setting?.choices?.includes(value) ?? true)
}

function readText(text: string, file: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const parsed: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length
    throw new RemoraError('config', `${file} is not a valid settings file (line ${line})`, {
      hint: 'It must be one JSON object, comments allowed. Correct it, or delete it to start afresh.',
    })
  }
  return { ...parsed }
}
