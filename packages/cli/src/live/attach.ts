import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { LiveInfo } from '@remora/protocol/plain'
import { agentTitle } from '../agent-names.ts'
import { fail } from '../fail.ts'
import type { Io } from '../io.ts'
import { shellLine } from '../shell-word.ts'
import type { Input } from '../verb.ts'
import { ensureServer } from './background.ts'
import { findLive, mustGoOn } from './find-live.ts'
import { withLedger } from '../with-ledger.ts'

/** Where tmux has the pane of a session. */
interface Pane {
  readonly socket: string
  readonly pane: string
  readonly name?: string
}

/** Hands this terminal over to a session's own, or says how one would. */
export async function attach({ values, positionals }: Input, io: Io): Promise<number> {
  await ensureServer(io)
  const live = await findLive(io, positionals[0]!)
  return attachTo(live, io, values['print'] === true)
}

export async function attachTo(live: LiveInfo, io: Io, print = false): Promise<number> {
  await mustGoOn(live)
  if (live.node)
    throw await fail(
      'unsupported',
      `${agentTitle(live.agent)} ${live.id} goes on on the machine ${live.node.name}, and its terminal is there`,
      `On ${live.node.name}: remora attach ${live.id}. Talk to it from here: remora send ${live.id} "…"`,
    )
  if (live.channel === 'acp')
    throw await fail(
      'unsupported',
      `${agentTitle(live.agent)} ${live.id} has no terminal: it runs over ACP`,
      `Watch it: remora watch ${live.session}. Talk to it: remora send ${live.id} "…"`,
    )
  const pane = await paneOf(live, io)
  const words = ['-S', pane.socket, 'attach-session', '-t', pane.pane]
  if (print) {
    io.out(`${shellLine(['tmux', ...words])}\n`)
    return 0
  }
  if (!io.terminal || io.stdin?.terminal === false)
    throw await fail(
      'usage',
      'There is no terminal here to hand over',
      `In one: ${shellLine(['tmux', ...words])}`,
    )
  return handOver(words, io)
}

/** The server keeps where each pane is, so that it finds it again; so do we. */
async function paneOf({ id, agent }: LiveInfo, io: Io): Promise<Pane> {
  const mark = `server/live/${id}`
  const record = await withLedger(io, async (ledger) => (await ledger.marks(mark)).get(mark), {
    current: false,
  })
  const { terminal } = (record ?? {}) as { terminal?: Pane }
  if (terminal) return terminal
  throw await fail('not_found', `Nobody knows where the terminal of ${agent} ${id} is`, 'See: remora ls')
}

/** tmux refuses to run within itself, unless the variable that it knows that by is gone. */
async function handOver(words: readonly string[], io: Io): Promise<number> {
  const { TMUX: _, ...env } = io.env
  const child = spawn('tmux', words, { env, stdio: 'inherit' })
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) =>
        resolve(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
      )
    })
  } catch (cause) {
    throw await fail(
      'agent_missing',
      `tmux could not be started: ${(cause as Error).message}`,
      'See: remora doctor',
    )
  } finally {
    process.off('SIGINT', ignore)
  }
}
