import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveInfo, RemoraError, StartRequest } from '@remora/protocol/plain'
import { checkModeWord } from '@remora/sdk'
import { colors } from '../output/colors.ts'
import { fail, UsageError } from '../command/errors.ts'
import { findSession } from '../args/find-session.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { oneLine } from '../output/one-line.ts'
import { shellWord } from '../output/shell-word.ts'
import { readPrompt } from '../args/read-prompt.ts'
import { pickAgent } from '../detection/survey.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { attachTo } from './attach-terminal.ts'
import { ensureServer } from '../client/background.ts'
import { liveSessions, requireRunning } from '../client/find-live.ts'
import { readPromptKind } from './send-prompt.ts'
import { askServer } from '../client/server-client.ts'
import { showWaiting } from '../output/show-waiting.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** An agent may install itself or contact its provider before it is ready. */
const startMs = 120_000
/** How long an agent may take to refuse its arguments. */
const begunMs = 5000
const lookMs = 100

/** Starts an agent that keeps running after this command. */
export async function newSession(input: Input, io: Io): Promise<number> {
  const { values } = input
  if (values['attach'] && values['acp'])
    throw new UsageError('--attach and --acp cannot be combined', 'Leave one of them out')
  if (values['terminal'] && values['acp'])
    throw new UsageError('--terminal and --acp cannot be combined', 'Leave one of them out')
  const request = await startRequest(input, io)
  await ensureServer(io)
  const live = await showWaiting(`Starting ${request.agent}…`, io, async () => {
    const started = await askServer(io)
      .post('/api/live', { body: request, timeoutMs: startMs, signal: io.stopped?.() })
      .catch(async (error: unknown) => {
        throw await withSignIn(error)
      })
    return request.args === undefined ? started : untilBegun(started, io)
  })
  await requireRunning(live)
  if (values['attach']) return attachTo(live, io)
  if (values['json']) io.out(`${JSON.stringify(withIsoTimes(live, 'startedAt', 'since'), null, 2)}\n`)
  else await printStarted(live, input, io)
  return 0
}

/** Names the option for each way to sign in to an agent that demands it. */
async function withSignIn(error: unknown): Promise<unknown> {
  const { signIn, message } = error as RemoraError
  if (!signIn) return error
  const ways = signIn.map(({ id, name }) => `--sign-in ${shellWord(id)} (${oneLine(name, 60)})`)
  return fail('auth', message, `Sign in with the agent itself, or start it again with ${ways.join(' or ')}`)
}

/** An agent that refuses an argument exits at once, which must not count as started. */
async function untilBegun(started: LiveInfo, io: Io): Promise<LiveInfo> {
  let now = started
  for (const until = Date.now() + begunMs; now.state === 'starting' && Date.now() < until;) {
    await sleep(lookMs)
    if (io.stopped?.().aborted) break
    now = (await liveSessions(io)).find(({ id }) => id === started.id) ?? now
  }
  return now
}

async function startRequest({ values, positionals, rest }: Input, io: Io): Promise<StartRequest> {
  const chosen = pickAgent(positionals[0]!)
  const agent = chosen.id
  const text = (name: string): string | undefined =>
    typeof values[name] === 'string' ? values[name] : undefined
  const mode = text('mode')
  if (mode !== undefined) checkModeWord(chosen, mode)
  const given = text('cwd')
  const word = text('resume')
  const old =
    word === undefined ? undefined : await withLedger(io, (ledger) => findSession(ledger, word, io, agent))
  const folder = given === undefined ? (old?.cwd ?? io.cwd) : resolve(io.cwd, given)
  if (!existsSync(folder))
    throw await fail(
      'not_found',
      `The folder ${folder} does not exist`,
      'Create it, or choose another: --cwd <folder>',
    )
  const prompt = text('prompt') === '-' ? await readPrompt('-', false, io) : text('prompt')
  const promptKind = readPromptKind(values)
  if (promptKind !== undefined && prompt === undefined)
    throw new UsageError(`--${promptKind} needs a prompt`, 'Pass it with --prompt')
  const worktree = values['worktree']
  const driver = values['terminal']
  return {
    agent,
    cwd: realpathSync(folder),
    ...(values['acp'] ? { channel: 'acp' as const } : {}),
    ...(driver === 'tmux' || driver === 'pty' ? { channel: 'terminal' as const, terminal: driver } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(promptKind === undefined ? {} : { promptKind }),
    ...Object.fromEntries(
      ['model', 'mode', 'effort'].flatMap((name) => (text(name) === undefined ? [] : [[name, text(name)]])),
    ),
    ...(old ? { resume: old.session } : {}),
    ...(worktree === undefined || worktree === false ? {} : { worktree }),
    ...(rest.length > 0 ? { args: [...rest] } : {}),
    ...(text('sign-in') === undefined ? {} : { signIn: text('sign-in') }),
  }
}

async function printStarted(live: LiveInfo, input: Input, io: Io): Promise<void> {
  const paint = await colors(input, io)
  const { id, agent, cwd, channel, mode, worktree } = live
  const inMode = mode === undefined ? '' : `, mode ${oneLine(mode, 40)}`
  io.out(`Started ${agent} as ${paint.bold(id)} in ${homePath(cwd, io.home)}${inMode}\n`)
  if (worktree) io.out(`  On branch ${worktree.branch}, in a worktree of ${homePath(worktree.of, io.home)}\n`)
  const steps: [command: string, what: string][] = [
    ...(channel === 'terminal'
      ? [[`remora attach ${id}`, 'open its terminal (detach: Ctrl+B, then D)'] as [string, string]]
      : []),
    [`remora send ${id} "…"`, 'send a prompt'],
    ['remora asks', 'list approval requests'],
  ]
  const width = Math.max(...steps.map(([command]) => command.length))
  for (const [command, what] of steps) io.out(`  ${command.padEnd(width)}  ${paint.dim(what)}\n`)
}
