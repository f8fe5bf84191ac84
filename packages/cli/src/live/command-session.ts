import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveInfo } from '@remora/protocol/plain'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { shellWord } from '../output/shell-word.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { findLive, liveSessions, mustGoOn } from '../client/find-live.ts'
import { askServer } from '../client/server-client.ts'
import { showWaiting } from '../output/show-waiting.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** To end an agent in peace takes as long as it takes to say good-bye. */
const patienceMs = 60_000
const lookMs = 200

/** Breaks off what an agent does, or ends it. @example return commandSession('cancel', input, io) */
export async function commandSession(
  what: 'cancel' | 'end',
  { values, positionals }: Input,
  io: Io,
): Promise<number> {
  await ensureServer(io)
  const live = await findLive(io, positionals[0]!)
  await mustGoOn(live)
  const { command } = await askServer(io).post(`/api/live/:id/${what}`, {
    params: { id: live.id },
    timeoutMs: patienceMs,
    signal: io.stopped?.(),
  })
  if (what === 'end')
    await showWaiting(`Waiting for ${live.agent} ${live.id} to end…`, io, () => untilEnded(live, io))
  if (values['json'])
    io.out(`${JSON.stringify({ live: live.id, command: withIsoTimes(command, 'at') }, null, 2)}\n`)
  else if (what === 'cancel') io.out(`Interrupted ${live.agent} ${live.id}.\n`)
  // One in which nothing was said is not in the ledger.
  else
    io.out(
      `Ended ${live.agent} ${live.id}.${live.title === undefined ? '' : ` Read it: remora show ${live.session}`}\n${worktreeOf(live)}`,
    )
  return 0
}

/** What it worked in is not taken away with it: somebody may want to look at that, or to go on. */
function worktreeOf({ worktree, node }: LiveInfo): string {
  if (!worktree || node) return ''
  return `Worktree kept, on branch ${worktree.branch}. Remove it: remora worktrees remove ${shellWord(basename(worktree.path))}\n`
}

/** The wish is stored at once; it is said to be done when it is. */
async function untilEnded({ id, agent }: LiveInfo, io: Io): Promise<void> {
  const stopped = io.stopped?.()
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(lookMs)) {
    const found = (await liveSessions(io)).find((each) => each.id === id)
    if (!found || found.state === 'ended') return
    if (stopped?.aborted)
      throw await fail('aborted', 'Stopped waiting for the session to end', 'Check: remora ls')
  }
  throw await fail('timeout_total', `${agent} ${id} did not end`, 'Check the log: remora logs')
}
