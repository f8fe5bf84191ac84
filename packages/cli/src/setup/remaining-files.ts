import { existsSync } from 'node:fs'
import type { Io } from '../command/io.ts'
import { ledgerPath, remoraHome } from '../home/remora-home.ts'
import { listLiveRecords } from '../ledger/server-records.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { plural } from '../output/format-number.ts'
import { homePath } from '../output/home-path.ts'
import { readStatus } from '../server/read-status.ts'
import { findUnrecordedGuards } from '../sessions/undo-guards.ts'

/** Files that uninstall keeps, because they hold the user's work or data. */
interface RemainingFiles {
  readonly server: string | null
  readonly sessions: readonly string[]
  readonly worktrees: readonly {
    readonly path: string
    readonly branch: string | null
    readonly changed: boolean
  }[]
  readonly settings: readonly { readonly file: string; readonly setting: string }[]
  readonly ledger: string | null
}

/** Finds them without starting anything. @example const left = await findRemainingFiles(io) */
export async function findRemainingFiles(io: Io): Promise<RemainingFiles> {
  const { listWorktrees } = await import('@remora/server')
  const { running, url, sessions = [] } = await readStatus(io)
  const ledger = existsSync(ledgerPath(io)) ? ledgerPath(io) : null
  const recorded =
    running || ledger === null
      ? []
      : await withLedger(io, (open) => listLiveRecords(open), { current: false }).catch(() => [])
  return {
    server: running ? (url ?? '') : null,
    sessions: running
      ? sessions.filter(({ state }) => state !== 'ended').map(({ id, agent }) => `${id} (${agent})`)
      : recorded.map(({ id, agent }) => `${id} (${agent})`),
    worktrees: (await listWorktrees(remoraHome(io), { env: io.env })).map(({ path, branch, clean }) => ({
      path,
      branch: branch ?? null,
      changed: !clean,
    })),
    settings: await findUnrecordedGuards(io),
    ledger,
  }
}

export function formatRemainingFiles(
  { server, sessions, worktrees, settings, ledger }: RemainingFiles,
  io: Io,
): string[] {
  return [
    ...(server === null
      ? []
      : [`The server is still running${server && ` at ${server}`}. Stop it: remora stop`]),
    ...(sessions.length === 0
      ? []
      : [`${plural(sessions.length, 'live session')}: ${sessions.join(', ')}. End one: remora end <id>`]),
    ...worktrees.map(
      ({ path, branch, changed }) =>
        `Worktree ${homePath(path, io.home)}${branch === null ? '' : ` on branch ${branch}`}: ${
          changed ? 'has uncommitted changes' : 'no changes'
        }. Remove it: git worktree remove ${path}`,
    ),
    ...settings.map(
      ({ file, setting }) =>
        `${homePath(file, io.home)} has ${setting}. Delete that line if you did not set it yourself`,
    ),
    ...(ledger === null ? [] : [`Ledger kept: ${homePath(ledger, io.home)}`]),
  ]
}
