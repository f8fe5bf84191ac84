import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { agents } from '@remora/sdk'
import { type ParseError, applyEdits, modify, parse } from 'jsonc-parser'
import type { Io } from '../command/io.ts'
import { configPath } from './remora-home.ts'

/** A setting. */
export interface Setting {
  readonly key: string
  readonly description: string
  /** The environment variable that overrides the file. */
  readonly variable: string
  readonly fallback?: string
  readonly choices?: readonly string[]
  /** Whether its value is the path of a file. */
  readonly path?: boolean
  /** Whether its value is a port number. */
  readonly port?: boolean
  /** Whether its value is an address to listen on, or `lan` or `tailscale`. */
  readonly host?: boolean
  /** Whether its value is a length of time, in days or weeks. */
  readonly time?: boolean
  /** Whether it may contain a password and must be masked. */
  readonly secret?: boolean
}

type SettingSource = 'environment' | 'file' | 'default'

export function settings(): Setting[] {
  return [
    {
      key: 'color',
      description: 'When to color the output',
      variable: 'REMORA_COLOR',
      fallback: 'auto',
      choices: ['auto', 'always', 'never'],
    },
    { key: 'server.port', description: 'Port of the server', variable: 'REMORA_PORT', port: true },
    {
      key: 'server.host',
      description: 'Address of the server: lan, tailscale, or an address of this machine',
      variable: 'REMORA_HOST',
      host: true,
    },
    {
      key: 'database',
      description: 'PostgreSQL database that machines share as their ledger (default: a local file)',
      variable: 'REMORA_DATABASE_URL',
      secret: true,
    },
    {
      key: 'ledger.keep',
      description: 'Age at which the server archives past months, such as 90d (default: never)',
      variable: 'REMORA_LEDGER_KEEP',
      time: true,
    },
    {
      key: 'terminal.driver',
      description: 'What holds terminals: tmux, or pty, a process of Remora (default: tmux if installed)',
      variable: 'REMORA_TERMINAL_DRIVER',
      choices: ['tmux', 'pty'],
    },
    {
      key: 'mcp.promptUnattended',
      description: 'Allow agents to prompt sessions in bypass mode through remora mcp',
      variable: 'REMORA_MCP_PROMPT_UNATTENDED',
      fallback: 'false',
      choices: ['true', 'false'],
    },
    ...agents().map((agent) => ({
      key: `${agent.id}.path`,
      description: `Path of the ${agent.title} executable`,
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
      const hint = value === undefined ? undefined : findSettingProblem(value, setting)
      if (hint === undefined) return value as string | undefined
      const where = variable === undefined ? `${key} in ${configPath(io)}` : setting?.variable
      const shown = setting?.secret ? '' : ` ${JSON.stringify(value)}`
      throw new RemoraError('config', `Invalid value${shown} for ${where}`, {
        hint,
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
  // Written to a draft and renamed, so that readers never see a partial file.
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
      hint: 'Check the file and its permissions, or set REMORA_HOME to another folder.',
      cause,
    })
  }
}

/** Returns a hint with the valid values if the value is invalid. */
export function findSettingProblem(
  value: unknown,
  { choices, time, port, host }: Partial<Setting> = {},
): string | undefined {
  const text = typeof value === 'string' ? value : undefined
  if (choices) return choices.some((each) => each === text) ? undefined : `One of: ${choices.join(', ')}`
  if (time && parseKeepTime(text ?? '') === undefined) return 'Use days or weeks, for example 90d or 12w'
  if (port && parsePort(text ?? '') === undefined) return 'Use a number up to 65535; 0 picks a free port'
  if (host && !isHost(text ?? '')) return 'Use lan, tailscale, an IP address or a host name, without a port'
  return text === undefined ? 'It must be a string.' : undefined
}

/** Whether a server can listen there: lan, tailscale, an address, or a name such as `box.tailnet.ts.net`. */
function isHost(text: string): boolean {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const isAddressLike = /^[\d.]+$/.test(text)
  return isIP(text) !== 0 || (!isAddressLike && new RegExp(`^${label}(?:\\.${label})*$`, 'i').test(text))
}

function readText(text: string, file: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const parsed: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length
    throw new RemoraError('config', `${file} is not a valid settings file (line ${line})`, {
      hint: 'It must be one JSON object; comments are allowed. Fix it, or delete it to start over.',
    })
  }
  return { ...parsed }
}

/** Parses the setting `ledger.keep` to milliseconds. @example parseKeepTime('90d') // 7_776_000_000 */
export function parseKeepTime(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,5})\s*([dw])$/.exec(text.trim()) ?? []
  return amount === undefined ? undefined : Number(amount) * (unit === 'w' ? 7 : 1) * 86_400_000
}

/** @example parsePort('4750') // 4750 */
export function parsePort(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}
