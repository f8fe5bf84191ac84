import { randomUUID } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent } from '../../contract/agent.ts'
import { detect } from '../../detect/detect.ts'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { getStartMode, refusePlan } from '../../contract/modes.ts'
import { joinMarks, runVariable } from '../../process/run-mark.ts'
import { openTerminal } from './pane-terminal.ts'
import { terminalPart } from './reading.ts'
import { runTmux, tmuxEnvironment } from './run-tmux.ts'
import { checkTmux } from './tmux-version.ts'
import { sessionName } from './tmux-words.ts'
import type { StartOptions, Terminal } from './terminal.ts'

/**
 * Starts an agent on a terminal of its own, in our tmux. It goes on when this process ends.
 *
 * @example
 * const terminal = await startTerminal(gemini, { cwd, env, socket, name: 'remora-1' })
 * await terminal.send('Hello')
 */
export async function startTerminal(agent: Agent, options: StartOptions): Promise<Terminal> {
  const { socket, signal } = options
  const part = terminalPart(agent)
  const found = await find(agent, options)
  const { prompt, promptKind = 'text' } = options
  const encoded =
    prompt === undefined
      ? {}
      : { prompt: encodePrompt(prompt, promptKind, { title: agent.title, escapes: part.escapes }) }
  const home = options.env['HOME'] ?? homedir()
  const place = { env: options.env, cwd: options.cwd, home, version: found.version }
  const start = await getStartMode(agent, place, options.mode)
  if (start.mode === 'plan') refusePlan(await part.planObstacle?.(place))
  const guard = await part.guardPlan?.(place)
  const { mode: _, ...rest } = options
  const request = { ...rest, ...encoded, ...(start.request === undefined ? {} : { mode: start.request }) }
  const { args, env } = part.invocation(request, found.version)
  const cwd = await realpath(options.cwd).catch((cause: unknown) => {
    throw new RemoraError('input', `There is no folder ${options.cwd}`, { cause })
  })
  await checkTmux()
  signal?.throwIfAborted()
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 })
  const run = randomUUID()
  const pane = await newSession({
    ...options,
    cwd,
    run,
    command: commandLine(found.command, [...(guard?.args ?? []), ...args]),
    env: {
      ...paneEnvironment(options.env),
      ...guard?.env,
      ...env,
      ...start.env,
      PWD: cwd,
      [runVariable]: joinMarks(options.env[runVariable], run),
    },
  })
  return openTerminal(agent, { socket, pane }, { place })
}

/** The executable: the one that was found already, or the one that is found now. */
async function find(
  agent: Agent,
  options: StartOptions,
): Promise<{ command: string; version: string | undefined }> {
  const { command, version, env, cwd } = options
  if (command !== undefined) return { command, version }
  const detected = await detect(agent, { env, cwd, home: env['HOME'] ?? homedir() })
  if (detected.path !== undefined) return { command: detected.path, version: detected.version }
  const [problem] = detected.problems
  throw new RemoraError('agent_missing', problem?.message ?? `${agent.title} is not installed`, {
    hint: problem?.hint ?? agent.detection.install,
  })
}

/** tmux runs one word by a shell and several as they are, so there are always several. */
function commandLine(command: string, args: readonly string[]): string[] {
  const words = /\.[cm]?js$/i.test(command) ? [process.execPath, command, ...args] : [command, ...args]
  return words.length > 1 ? words : ['/bin/sh', '-c', 'exec "$0"', ...words]
}

/** These tell of the terminal that we were started in, and the agent has another one. */
const foreign = new Set([
  'TMUX',
  'TMUX_PANE',
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'COLUMNS',
  'LINES',
  'STY',
])

function paneEnvironment(env: StartOptions['env']): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !foreign.has(entry[0]),
  )
  const named = ['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => env[name])
  // Our screen has all colours, and some agents draw less where nobody says so.
  return { COLORTERM: 'truecolor', ...(named ? {} : { LANG: 'C.UTF-8' }), ...Object.fromEntries(kept) }
}

interface NewSession extends Omit<StartOptions, 'command' | 'env'> {
  readonly run: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function newSession(options: NewSession): Promise<string> {
  const { socket, cwd, env, command, columns = 120, rows = 40, run } = options
  const name = sessionName(options.name)
  const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const size = ['-x', String(columns), '-y', String(rows)]
  const leaked = await globalVariables(socket)
  const output = await runTmux({
    socket,
    // The folder is that of the client: said by an option, it would be a format too.
    cwd,
    start: true,
    commands: [
      ...ownSettings,
      ...Array.from(leaked, (variable) => ['set-environment', '-g', '-u', variable]),
      [
        'new-session',
        '-d',
        '-E',
        '-P',
        '-F',
        '#{pane_id}',
        '-s',
        name,
        ...size,
        ...variables,
        '--',
        ...command,
      ],
      ['set-option', '-t', `=${name}:`, '@remora-run', run],
    ],
  })
  const pane = /^%\d+$/m.exec(output)?.[0]
  if (pane === undefined) throw new RemoraError('unknown', `tmux did not start a session: ${output.trim()}`)
  return pane
}

/** What our server is like. It is told at every start, since the one that runs may be of an earlier version of us. */
const ownSettings = [
  // Every system knows this one.
  ['set-option', '-g', 'default-terminal', 'screen-256color'],
  ['set-option', '-g', 'status', 'off'],
  ['set-option', '-g', 'window-size', 'latest'],
  ['set-option', '-g', 'update-environment', ''],
  ['set-option', '-g', 'allow-rename', 'off'],
  ['set-option', '-g', 'automatic-rename', 'off'],
  // An Esc of a person who attaches is an Esc, and not half a second later.
  ['set-option', '-s', 'escape-time', '10'],
  // The pane stays when its program has ended, so that the exit code is seen.
  ['set-option', '-g', 'remain-on-exit', 'on'],
]

/** tmux adds the environment of its server to what we say, so there must be none. */
async function globalVariables(socket: string): Promise<Iterable<string>> {
  const names = new Set([...Object.keys(tmuxEnvironment()), 'PWD'])
  const text = await runTmux({ socket, commands: [['show-environment', '-g']] }).catch(noServer)
  for (const [, name] of text.matchAll(/^([A-Za-z_]\w*)=/gm)) names.add(name!)
  return names
}

function noServer(error: unknown): string {
  if (RemoraError.is(error) && error.code === 'not_found') return ''
  throw error
}
