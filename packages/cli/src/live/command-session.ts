import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveInfo } from '@remora/protocol/plain'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { shellWord } from '../output/shell-word.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { findLive, liveSessions, requireRunning } from '../client/find-live.ts'
import { askServer } from '../client/server-client.ts'
import { showWaiting } from '../output/show-waiting.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** The time that an agent may take to exit cleanly. */
const endTimeoutMs = 60_000
const lookMs = 200

/** Interrupts or ends a session. @example return commandSession('cancel', input, io) */
export async function commandSession(
  what: 'cancel' | 'end',
  { values, positionals }: Input,
  io: Io,
): Promise<number> {
  await ensureServer(io)
  const live = await findLive(io, positionals[0]!)
  await requireRunning(live)
  const { command } = await askServer(io).post(`/api/live/:id/${what}`, {
    params: { id: live.id },
    timeoutMs: endTimeoutMs,
    signal: io.stopped?.(),
  })
  if (what === 'end')
    await showWaiting(`Waiting for ${live.agent} ${live.id} to end…`, io, () => waitForEnd(live, io))
  if (values['json'])
    io.out(`${JSON.stringify({ live: live.id, command: withIsoTimes(command, 'at') }, null, 2)}\n`)
  else if (what === 'cancel') io.out(`Interrupted ${live.agent} ${live.id}.\n`)
  // A session without messages is not in the ledger.
  else
    io.out(
      `Ended ${live.agent} ${live.id}.${live.title === undefined ? '' : ` Read it: remora show ${live.session}`}\n${formatKeptWorktree(live)}`,
    )
  return 0
}

/** The worktree stays, because its work may not be merged yet. */
function formatKeptWorktree({ worktree, node }: LiveInfo): string {
  if (!worktree || node) return ''
  return `Worktree kept, on branch ${worktree.branch}. Remove it: remora worktrees remove ${shellWord(basename(worktree.path))}\n`
}

/** The server accepts the command at once and ends the session later. */
async function waitForEnd({ id, agent }: LiveInfo, io: Io): Promise<void> {
  const stopped = io.stopped?.()
  for (const until = Date.now() + endTimeoutMs; Date.now() < until; await sleep(lookMs)) {
    const found = (await liveSessions(io)).find((each) => each.id === id)
    if (!found || found.state === 'ended') return
    if (stopped?.aborted)
      throw await fail('aborted', 'Stopped waiting for the session to end', 'Check: remora ls')
  }
  throw await fail('timeout_total', `${agent} ${id} did not end`, 'Check the log: remora logs')
}
