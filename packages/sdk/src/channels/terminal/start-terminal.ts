import { randomUUID } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, TerminalPart } from '../../contract/agent.ts'
import { detect } from '../../detect/detect.ts'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { getStartMode, refusePlan } from '../../contract/modes.ts'
import { checkPty, startHost } from '../../pty/start-host.ts'
import { joinMarks, runVariable } from '../../process/process-table.ts'
import { openTerminal } from './pane-terminal.ts'
import { getTerminalPart } from './reading.ts'
import { ptyPane } from './pty-driver.ts'
import { runTmux, getTmuxEnvironment, checkSocket, checkTmux } from './run-tmux.ts'
import { toSessionName } from './tmux-command.ts'
import type { StartOptions, Terminal } from './terminal.ts'

/**
 * Starts an agent on a terminal of its own, in Remora's tmux. It keeps running when this process ends.
 *
 * @example
 * const terminal = await startTerminal(gemini, { cwd, env, socket, name: 'remora-1' })
 * await terminal.send('Hello')
 */
export async function startTerminal(agent: Agent, options: StartOptions): Promise<Terminal> {
  const { socket, signal } = options
  const part = getTerminalPart(agent)
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
  const isPty = options.driver === 'pty'
  if (isPty) checkPty()
  else await checkTmux()
  signal?.throwIfAborted()
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 })
  const run = randomUUID()
  const session: NewSession = {
    ...options,
    cwd,
    run,
    command: toCommandLine(found.command, [...(guard?.args ?? []), ...args]),
    env: {
      ...toPaneEnvironment(options.env),
      ...guard?.env,
      ...env,
      ...start.env,
      PWD: cwd,
      [runVariable]: joinMarks(options.env[runVariable], run),
    },
  }
  const pane = isPty ? await createHost(session, part) : await createSession(session)
  return openTerminal(agent, { socket, pane }, { place })
}

/** The executable of the options, or the detected one. */
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

/** tmux runs a single argument by a shell and several as they are, so there are always several. */
function toCommandLine(command: string, args: readonly string[]): string[] {
  const argv = /\.[cm]?js$/i.test(command) ? [process.execPath, command, ...args] : [command, ...args]
  return argv.length > 1 ? argv : ['/bin/sh', '-c', 'exec "$0"', ...argv]
}

/** Variables of the terminal around this process; the agent has another one. */
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

function toPaneEnvironment(env: StartOptions['env']): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !foreign.has(entry[0]),
  )
  const named = ['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => env[name])
  // Some agents draw fewer colours without this variable.
  return { COLORTERM: 'truecolor', ...(named ? {} : { LANG: 'C.UTF-8' }), ...Object.fromEntries(kept) }
}

interface NewSession extends Omit<StartOptions, 'command' | 'env'> {
  readonly run: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts a PTY host. The mark of the run is set for the agent only, so that the host can report its end. */
async function createHost(
  { socket, cwd, env, command, run, columns = 120, rows = 40 }: NewSession,
  { restartExitCode }: TerminalPart,
): Promise<string> {
  checkSocket(socket)
  const { [runVariable]: mark = run, ...rest } = env
  await startHost({
    socket,
    command,
    cwd,
    // This terminal type exists on every system, and is what the host emulates.
    env: { TERM: 'xterm-256color', ...rest },
    run,
    mark: [runVariable, mark],
    columns,
    rows,
    ...(restartExitCode === undefined ? {} : { restartExitCode }),
  })
  return ptyPane
}

async function createSession(options: NewSession): Promise<string> {
  const { socket, cwd, env, command, columns = 120, rows = 40, run } = options
  const name = toSessionName(options.name)
  const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const size = ['-x', String(columns), '-y', String(rows)]
  const leaked = await listGlobalVariables(socket)
  const output = await runTmux({
    socket,
    // Set by the client's folder, since tmux would expand formats in its option.
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

/** Settings of Remora's server. They are set at every start, since an earlier version may have started it. */
const ownSettings = [
  // This terminal type exists on every system.
  ['set-option', '-g', 'default-terminal', 'screen-256color'],
  ['set-option', '-g', 'status', 'off'],
  ['set-option', '-g', 'window-size', 'latest'],
  ['set-option', '-g', 'update-environment', ''],
  ['set-option', '-g', 'allow-rename', 'off'],
  ['set-option', '-g', 'automatic-rename', 'off'],
  // An Escape of a user who attaches arrives at once, not half a second later.
  ['set-option', '-s', 'escape-time', '10'],
  // The pane stays when its program has ended, so that the exit code can be read.
  ['set-option', '-g', 'remain-on-exit', 'on'],
]

/** tmux adds the global environment of its server to ours, so it must be emptied. */
async function listGlobalVariables(socket: string): Promise<Iterable<string>> {
  const names = new Set([...Object.keys(getTmuxEnvironment()), 'PWD'])
  const text = await runTmux({ socket, commands: [['show-environment', '-g']] }).catch(ignoreMissingServer)
  for (const [, name] of text.matchAll(/^([A-Za-z_]\w*)=/gm)) names.add(name!)
  return names
}

function ignoreMissingServer(error: unknown): string {
  if (RemoraError.is(error) && error.code === 'not_found') return ''
  throw error
}
