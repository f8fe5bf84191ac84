import { randomUUID } from 'node:crypto'
import { type Command, type LiveInfo, type PromptKind, RemoraError } from '@remora/protocol/plain'
import type { Io } from '../command/io.ts'
import { duration } from '../args/time-option.ts'
import { harmless } from '../output/one-line.ts'
import { plural } from '../output/format-number.ts'
import { UsageError } from '../command/errors.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { ensureServer } from '../client/background.ts'
import { deadline } from './deadline.ts'
import { findLive, requireRunning } from '../client/find-live.ts'
import { askServer } from '../client/server-client.ts'
import { awaitTurn, turnFailure } from './turn.ts'
import { showWaiting } from '../output/show-waiting.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** Sends a prompt to a session; with --wait, until the turn ends. */
export async function sendPrompt({ values, positionals }: Input, io: Io): Promise<number> {
  const [word, ...words] = positionals as [string, ...string[]]
  const promptKind = readPromptKind(values)
  const text = await promptText(words, io)
  await ensureServer(io)
  const live = await findLive(io, word)
  await requireRunning(live)
  if (!values['wait']) {
    const command = await submitPrompt(io, live, text, { promptKind })
    if (values['json'])
      io.out(`${JSON.stringify({ live: live.id, command: withIsoTimes(command, 'at') }, null, 2)}\n`)
    else io.out(formatSent(live, command))
    return 0
  }
  const stopped = io.stopped?.() ?? new AbortController().signal
  const limit = typeof values['timeout'] === 'string' ? duration('timeout', values['timeout']) : undefined
  using until = deadline(stopped, limit)
  return await withLedger(
    io,
    async (ledger) => {
      const after = await ledger.head()
      const command = await submitPrompt(io, live, text, { promptKind })
      const waiting = `Waiting for ${live.agent} ${live.id}… Ctrl+C stops waiting, not the agent`
      const end = await showWaiting(waiting, io, () =>
        awaitTurn(ledger, live, command, { io, signal: until.signal, after }),
      ).catch((error: unknown) => {
        throw stopReason(error, stopped, until.passed, live)
      })
      if (values['json'])
        io.out(`${JSON.stringify({ live: live.id, command: command.id, ...end }, null, 2)}\n`)
      else if (end.text !== '') io.out(`${harmless(end.text)}\n`)
      else if (end.state === 'done')
        io.err(`${live.agent} is done, but its answer is not in the ledger yet.\n`)
      const failure = turnFailure(end, live)
      if (failure) throw failure
      return 0
    },
    { current: false },
  )
}

interface PromptFields {
  readonly promptKind?: PromptKind | undefined
  /** Set for a prompt of another agent: whether it may prompt sessions in bypass mode. */
  readonly via?: 'mcp'
  readonly unattended?: boolean
  readonly signal?: AbortSignal
}

/** Reads --slash and --shell. @example readPromptKind({ slash: true }) // 'slash' */
export function readPromptKind(values: Input['values']): 'slash' | 'shell' | undefined {
  if (values['slash'] && values['shell'])
    throw new UsageError('--slash and --shell cannot be combined', 'Leave one of them out')
  return values['slash'] ? 'slash' : values['shell'] ? 'shell' : undefined
}

/** Queues a prompt. The request can be repeated, because the same id is the same prompt. */
export async function submitPrompt(
  io: Io,
  live: LiveInfo,
  text: string,
  { signal, ...more }: PromptFields = {},
): Promise<Command> {
  const { command } = await askServer(io).post('/api/live/:id/send', {
    params: { id: live.id },
    body: { id: randomUUID(), text, ...more },
    signal,
  })
  return command
}

function formatSent({ id, agent, state, queued }: LiveInfo, command: Command): string {
  const busy = command.state === 'queued' && (state === 'working' || state === 'asking' || queued > 0)
  const ahead = queued > 0 ? `, ${plural(queued, 'prompt')} ahead` : ''
  return busy
    ? `Queued for ${agent} ${id}: it is ${state === 'asking' ? 'waiting for approval (remora asks)' : state}${ahead}.\n`
    : `Sent to ${agent} ${id}. To wait for the answer: remora send … --wait\n`
}

async function promptText(words: readonly string[], io: Io): Promise<string> {
  const piped = words.length === 0 || (words.length === 1 && words[0] === '-')
  if (piped && words.length === 0 && io.stdin?.terminal !== false)
    throw new UsageError('The prompt is empty', 'Pass it: remora send <session> "…", or pipe it in')
  const text = piped ? ((await io.stdin?.read()) ?? '') : words.join(' ')
  if (text.trim() !== '') return text
  throw new UsageError('The prompt is empty', 'Pass it: remora send <session> "…", or pipe it in')
}

function stopReason(error: unknown, stopped: AbortSignal, late: boolean, live: LiveInfo): unknown {
  if (stopped.aborted)
    return new RemoraError('aborted', `Stopped waiting for ${live.id}`, {
      hint: `The agent keeps working. To interrupt it: remora cancel ${live.id}`,
    })
  if (late)
    return new RemoraError('timeout_total', `${live.id} did not answer within the timeout`, {
      hint: `The agent keeps working. Check it: remora ls, or interrupt it: remora cancel ${live.id}`,
    })
  return error
}
