import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { SessionEntry } from '@remora/ledger'
import { type Agent, type Invocation, type Problem, detect, protectResume } from '@remora/sdk'
import { findSession } from '../args/find-session.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentEnvironment, pickAgent } from '../detection/survey.ts'
import { loadConfig } from '../home/config.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { shellLine, shellWord } from '../output/shell-word.ts'

/** Resumes a session in the agent's own CLI, or prints the command. */
export async function resumeSession(input: Input, io: Io): Promise<number> {
  const { values, positionals, rest } = input
  if (values['json'] && !values['print'])
    throw new UsageError('--json needs --print', 'Run: remora resume <session> --print --json')
  const named = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const entry = await readLedger(io, (ledger) => findSession(ledger, positionals[0]!, io, named))
  const agent = pickAgent(entry.agent)
  if (!agent.transcripts && agent.acp) return resumeInChat(agent, entry, input, io)
  const invocation = agent.transcripts?.resume(entry.session)
  if (!invocation)
    throw await fail(
      'unsupported',
      `${agent.title} cannot resume sessions`,
      'Read it: remora show ' + entry.session,
    )
  const command = await createCommand(agent, invocation, rest, entry, io)
  if (values['print']) {
    if (entry.archivedAt !== undefined) await check(agent, entry, command.cwd)
    // The printed command has no protection of the session file.
    if (agent.transcripts?.protect)
      io.err(`${agent.title} may damage a session that it resumes. Safer: remora resume ${entry.session}\n`)
    io.out(values['json'] ? `${JSON.stringify(command, null, 2)}\n` : `${printed(command)}\n`)
    return 0
  }
  await check(agent, entry, command.cwd)
  return run(agent, entry, command, io)
}

/** Resumes a session over ACP, for agents that are known only by their ACP command. */
async function resumeInChat(agent: Agent, entry: SessionEntry, input: Input, io: Io): Promise<number> {
  if (input.rest.length > 0)
    throw new UsageError(`${agent.title} takes no native arguments here`, 'Leave out everything after --')
  const cwd = entry.cwd ?? io.cwd
  const args = ['chat', agent.id, '--resume', entry.session]
  if (input.values['print']) {
    const command = { cwd, program: 'remora', args, env: {} }
    io.out(input.values['json'] ? `${JSON.stringify(command, null, 2)}\n` : `${printed(command)}\n`)
    return 0
  }
  await check(agent, entry, cwd)
  const [program, ...first] = io.self ?? ['remora']
  return onTerminal({ cwd, program: program!, args: [...first, ...args], env: {} }, io)
}

interface Command {
  readonly cwd: string
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function createCommand(
  agent: Agent,
  { args, env = {} }: Invocation,
  more: readonly string[],
  { cwd }: SessionEntry,
  io: Io,
): Promise<Command> {
  const place = { env: agentEnvironment(agent, await loadConfig(io), io), home: io.home, cwd: io.cwd }
  const { path, problems } = await detect(agent, { ...place, platform: io.platform })
  if (path === undefined) {
    const [{ message, hint }] = problems as readonly [Problem, ...Problem[]]
    throw await fail('agent_missing', message, hint)
  }
  // A script that is not executable needs its interpreter.
  const [program, ...first] = /\.[cm]?js$/i.test(path) ? [process.execPath, path] : [path]
  return { cwd: cwd ?? io.cwd, program, args: [...first, ...args, ...more], env }
}

async function check(agent: Agent, { session, archivedAt }: SessionEntry, cwd: string): Promise<void> {
  if (archivedAt !== undefined)
    throw await fail(
      'not_found',
      `${agent.title} deleted this session and cannot resume it`,
      `Restore it from the ledger: remora sessions restore ${session}`,
    )
  if (!existsSync(cwd))
    throw await fail(
      'not_found',
      `The folder of this session does not exist: ${cwd}`,
      'Create it, or print the command: remora resume ' + session + ' --print',
    )
}

function printed({ cwd, program, args, env }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`)
  return `cd ${shellWord(cwd)} && ${[...variables, shellLine([program, ...args])].join(' ')}`
}

async function run(agent: Agent, entry: SessionEntry, command: Command, io: Io): Promise<number> {
  const place = { env: io.env, home: io.home, cwd: command.cwd }
  const protection = await protectResume(agent, entry.session, place)
  try {
    return await onTerminal(command, io)
  } finally {
    for (const { message, hint } of await protection.finish()) io.err(`remora: ${message}\n  ${hint}\n`)
  }
}

/** Gives the terminal to the CLI. Ctrl+C is for the CLI only, and its exit code is ours. */
async function onTerminal({ program, args, cwd, env }: Command, io: Io): Promise<number> {
  const child = spawn(program, args, { cwd, env: { ...io.env, ...env }, stdio: 'inherit' })
  const ignore = (): void => {}
  const end = (): void => void child.kill('SIGTERM')
  process.on('SIGINT', ignore)
  process.on('SIGTERM', end)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) =>
        resolve(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
      )
    })
  } catch (cause) {
    throw await fail(
      'crashed',
      `Cannot start ${program}: ${(cause as Error).message}`,
      'Check: remora doctor',
    )
  } finally {
    process.off('SIGINT', ignore)
    process.off('SIGTERM', end)
  }
}
