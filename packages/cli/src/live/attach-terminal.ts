import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { LiveInfo } from '@remora/protocol/plain'
import { ensureServer } from '../client/background.ts'
import { findLive, formatResume, liveSessions, requireRunning } from '../client/find-live.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { shellLine } from '../output/shell-word.ts'

/** The tmux pane of a session, or the socket of its PTY host. */
interface Pane {
  readonly socket: string
  readonly pane: string
  readonly name?: string
}

/** How long the server may take to answer when a window has closed. */
const currentMs = 3_000

/** Attaches this terminal to the terminal of the session, or prints the command. */
export async function attach({ values, positionals }: Input, io: Io): Promise<number> {
  await ensureServer(io)
  const live = await findLive(io, positionals[0]!)
  return attachTo(live, io, values['print'] === true)
}

export async function attachTo(live: LiveInfo, io: Io, print = false): Promise<number> {
  await requireRunning(live)
  if (live.node)
    throw await fail(
      'unsupported',
      `${agentTitle(live.agent)} ${live.id} runs on another machine: ${live.node.name}`,
      `On ${live.node.name}, run: remora attach ${live.id}. From here: remora send ${live.id} "…"`,
    )
  if (live.channel === 'acp')
    throw await fail(
      'unsupported',
      `${agentTitle(live.agent)} ${live.id} has no terminal: it runs over ACP`,
      `Watch it: remora watch ${live.session}. Prompt it: remora send ${live.id} "…"`,
    )
  const pane = await findPane(live, io)
  const isPty = pane.pane === 'pty'
  const words = isPty
    ? ['remora', 'attach', live.id]
    : ['tmux', '-S', pane.socket, 'attach-session', '-t', pane.pane]
  if (print) {
    io.out(`${shellLine(words)}\n`)
    return 0
  }
  if (!io.terminal || io.stdin?.terminal === false)
    throw await fail('usage', 'Not a terminal', `Run this in a terminal: ${shellLine(words)}`)
  return isPty ? showWindow(pane.socket, live, io) : handOver(words.slice(1), io)
}

/** The server stores the pane of each session in the ledger. */
async function findPane({ id, agent }: LiveInfo, io: Io): Promise<Pane> {
  const mark = `server/live/${id}`
  const record = await withLedger(io, async (ledger) => (await ledger.marks(mark)).get(mark), {
    current: false,
  })
  const { terminal } = (record ?? {}) as { terminal?: Pane }
  if (terminal) return terminal
  throw await fail('not_found', `No terminal found for ${agent} ${id}`, 'Check: remora ls')
}

/** Shows the terminal of a PTY host here, until the user detaches or it ends. */
async function showWindow(socket: string, live: LiveInfo, io: Io): Promise<number> {
  const { id, agent } = live
  const { attachWindow } = await import('@remora/sdk/terminal')
  const end = await attachWindow({ socket, input: process.stdin, output: process.stdout })
  const title = agentTitle(agent)
  if (end.type === 'detached') {
    io.err(`Detached. ${title} keeps running: remora attach ${id}\n`)
    return 0
  }
  const resume = formatResume(await findCurrent(live, io)) ?? `Start another: remora new ${agent}`
  if (end.type === 'lost')
    throw await fail(
      'crashed',
      `The terminal host of ${title} ${id} was killed, and ${title} with it`,
      resume,
    )
  io.err(`${title} has ended. ${resume}\n`)
  return end.signal === undefined
    ? (end.code ?? 0)
    : 128 + (constants.signals[end.signal as NodeJS.Signals] ?? 0)
}

/** The conversation may have got its id after the window was opened. */
async function findCurrent(live: LiveInfo, io: Io): Promise<LiveInfo> {
  const all = await liveSessions(io, AbortSignal.timeout(currentMs)).catch(() => [])
  return all.find(({ id }) => id === live.id) ?? live
}

/** tmux refuses to run inside tmux while TMUX is set. */
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
      `Cannot start tmux: ${(cause as Error).message}`,
      'Check: remora doctor',
    )
  } finally {
    process.off('SIGINT', ignore)
  }
}
