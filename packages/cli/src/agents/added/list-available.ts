import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { agents } from '@remora/sdk'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { plural } from '../../output/format-number.ts'
import { oneLine } from '../../output/one-line.ts'
import { shellLine } from '../../output/shell-word.ts'
import { wrap } from '../../output/wrap-words.ts'

const maxBytes = 5 * 1024 * 1024
const timeoutMs = 20_000

/** An agent of a registry file, and how to add it. */
export interface AvailableAgent {
  readonly id: string
  readonly name: string
  readonly version: string | null
  readonly description: string | null
  /** The command line that adds it; null if it has no program for this machine. */
  readonly command: readonly string[] | null
  /** The archive to download and unpack before that. */
  readonly archive: string | null
  /** Whether an agent with this id is already known. */
  readonly known: boolean
}

/** Lists the agents of an ACP registry file. Only a URL that the user gives is fetched, and nothing is installed. */
export async function listAvailable({ positionals, values }: Input, io: Io): Promise<number> {
  const source = positionals[0]!
  const isUrl = /^https?:\/\//i.test(source)
  const text = isUrl ? await fetchText(source) : await readText(resolve(io.cwd, source))
  const { found, skipped } = await parseRegistry(text, source, io)
  if (values['json']) {
    io.out(`${JSON.stringify(found, null, 2)}\n`)
    return 0
  }
  for (const agent of found) io.out(formatAgent(agent, io))
  if (found.length === 0) io.out('The registry lists no agents.\n')
  if (skipped > 0) io.err(`Skipped ${plural(skipped, 'invalid entry').replace(/entrys$/, 'entries')}.\n`)
  return 0
}

async function readText(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error('The file is larger than 5 MB')
    return await file.readFile('utf8')
  } catch (error) {
    throw await fail(
      'input',
      `Cannot read ${path}: ${(error as Error).message}`,
      'Pass a file or an https URL.',
    )
  }
}

async function fetchText(source: string): Promise<string> {
  if (!isSafe(source))
    throw new UsageError(
      'A registry over http could be changed on its way',
      'Use https, or download it and pass the file.',
    )
  try {
    const response = await fetch(source, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    })
    if (!isSafe(response.url)) throw new Error(`It redirects to ${response.url}`)
    if (!response.ok) throw new Error(`The server answered ${response.status} ${response.statusText}`.trim())
    let [text, size] = ['', 0]
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength
      if (size > maxBytes) throw new Error('The file is larger than 5 MB')
      text += decoder.decode(chunk, { stream: true })
    }
    return text
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error }
    const reason =
      (error as Error).name === 'TimeoutError' ? 'No answer within 20 seconds' : (cause?.message ?? message)
    throw await fail(
      'network',
      `Cannot fetch ${source}: ${reason}`,
      'Check the address, or pass a downloaded file.',
    )
  }
}

/** Whether the file cannot be changed between the server and this machine. */
function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

async function parseRegistry(
  text: string,
  source: string,
  io: Io,
): Promise<{ found: AvailableAgent[]; skipped: number }> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw await fail(
      'input',
      `${source} is not JSON: ${(error as Error).message}`,
      'Pass the registry.json of an ACP registry.',
    )
  }
  const entries = (content as { agents?: unknown } | null)?.agents
  if (!Array.isArray(entries))
    throw await fail('input', `${source} has no list of agents`, 'Pass the registry.json of an ACP registry.')
  const found = (entries as unknown[]).flatMap((entry) => toAvailable(entry, io) ?? [])
  return { found, skipped: entries.length - found.length }
}

type Fields = Readonly<Record<string, unknown>>

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function toText(value: unknown): string | undefined {
  // Commands are shown exactly, so a text with a line break is refused and not shortened.
  return typeof value === 'string' && /^\P{Cc}+$/u.test(value) ? value : undefined
}

/** Undefined for an entry without a usable id. */
function toAvailable(entry: unknown, io: Io): AvailableAgent | undefined {
  const fields = toFields(entry)
  const id = toText(fields['id'])
  if (id === undefined || !/^[a-z][\da-z-]*$/.test(id)) return undefined
  const name = toText(fields['name']) ?? id
  const { description } = fields
  const program = findProgram(toFields(fields['distribution']), io.platform)
  const title = name === id ? [] : ['--title', name]
  return {
    id,
    name,
    version: toText(fields['version']) ?? null,
    description: typeof description === 'string' ? oneLine(description, 300) : null,
    command: program && [
      'remora',
      'agents',
      'add',
      '--acp',
      id,
      ...title,
      ...program.env,
      '--',
      ...program.words,
    ],
    archive: program?.archive ?? null,
    known: agents().some((agent) => agent.id === id),
  }
}

interface Program {
  /** Options of `remora agents add`. */
  readonly env: readonly string[]
  readonly words: readonly string[]
  readonly archive?: string
}

/** How an agent is started: with npx or uvx, which download it, or as a program that the user downloads. */
function findProgram(distribution: Fields, platform: NodeJS.Platform): Program | null {
  for (const [runner, words] of [
    ['npx', ['npx', '-y']],
    ['uvx', ['uvx']],
  ] as const) {
    const fields = toFields(distribution[runner])
    const name = toText(fields['package'])
    // An option in place of a package would change what the runner does.
    if (name !== undefined && !name.startsWith('-'))
      return { env: toEnv(fields), words: [...words, name, ...toArgs(fields)] }
  }
  const binary = toFields(toFields(distribution['binary'])[describeMachine(platform)])
  const [archive, command] = [toText(binary['archive']), toText(binary['cmd'])]
  if (archive === undefined || command === undefined) return null
  return { env: toEnv(binary), words: [command, ...toArgs(binary)], archive }
}

/** A machine by the names of the registry. @example describeMachine('linux') // 'linux-x86_64' */
function describeMachine(platform: NodeJS.Platform): string {
  const system = platform === 'win32' ? 'windows' : platform
  return `${system}-${process.arch === 'arm64' ? 'aarch64' : process.arch === 'x64' ? 'x86_64' : process.arch}`
}

function toArgs({ args }: Fields): string[] {
  return Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : []
}

function toEnv({ env }: Fields): string[] {
  return Object.entries(toFields(env)).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' ? ['--env', `${name}=${value}`] : [],
  )
}

function formatAgent(
  { id, name, version, description, command, archive, known }: AvailableAgent,
  io: Io,
): string {
  const about = description === null ? [] : wrap(description, Math.max(40, (io.columns ?? 100) - 2), '')
  const steps = known
    ? [`Remora already has an agent "${id}".`]
    : command === null
      ? [`No program for ${describeMachine(io.platform)}.`]
      : [...(archive === null ? [] : [`Download and unpack ${archive}, then run there:`]), shellLine(command)]
  const title = [name, ...(version === null ? [] : [version]), ...(name === id ? [] : [`(${id})`])].join(' ')
  return `${title}\n${[...about, ...steps].map((line) => `  ${line}\n`).join('')}\n`
}
