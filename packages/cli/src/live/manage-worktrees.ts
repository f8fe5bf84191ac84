import { basename, resolve, sep } from 'node:path'
import type { Worktree } from '@remora/protocol/api'
import { colors } from '../output/colors.ts'
import { fail } from '../command/errors.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { writeAll } from '../output/write-all.ts'
import { table } from '../output/table.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { askServer, serverHealth } from '../client/server-client.ts'
import { remoraHome } from '../home/remora-home.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { listLiveRecords } from '../ledger/server-records.ts'
import { exampleAgent } from '../detection/agent-names.ts'

/** Git needs time to find changes in a large folder. */
const gitMs = 120_000

const columns = [
  { title: 'NAME' },
  { title: 'BRANCH', least: 8 },
  { title: 'STATE' },
  { title: 'REPOSITORY', least: 8, gives: 2, cut: 'start' },
  { title: 'PATH', least: 8, gives: 1, cut: 'start' },
] as const

/** Lists the worktrees of sessions, or removes one. Only removing needs the server. */
export async function worktrees(input: Input, io: Io): Promise<number> {
  const [action, word] = input.positionals
  if (action !== undefined) await ensureServer(io)
  const running = action !== undefined || (await serverHealth(io)) !== undefined
  const all = running
    ? (await askServer(io).get('/api/worktrees', { timeoutMs: gitMs, signal: io.stopped?.() })).worktrees
    : await listWithoutServer(io)
  if (action !== undefined) return remove(all, word!, input, io)
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(all, null, 2)}\n`])
  if (all.length === 0) {
    io.err(`No worktrees.\n  Start an agent in one: remora new ${exampleAgent} --worktree=<name>\n`)
    return 0
  }
  const rows = all.map((each) => ({
    cells: [
      basename(each.path),
      each.branch ?? '-',
      formatState(each),
      each.of === undefined ? '-' : homePath(each.of, io.home),
      homePath(each.path, io.home),
    ],
  }))
  const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

async function listWithoutServer(io: Io): Promise<Worktree[]> {
  const { listWorktrees } = await import('@remora/server')
  const found = await listWorktrees(remoraHome(io), { env: io.env, signal: io.stopped?.() })
  const records = await readLedger(io, listLiveRecords, { current: false })
  return found.map((worktree) => ({
    ...worktree,
    live: records
      .filter(({ cwd = '' }) => cwd === worktree.path || cwd.startsWith(worktree.path + sep))
      .map(({ id }) => id),
  }))
}

function formatState({ clean, live }: Worktree): string {
  const state = clean ? 'clean' : 'changed'
  return live.length === 0 ? state : `${state}, ${live.join(' and ')} in it`
}

async function remove(all: readonly Worktree[], word: string, { values }: Input, io: Io): Promise<number> {
  const path = resolve(io.cwd, word)
  const exact = all.filter((each) => each.path === path || each.branch === word)
  const fitting = exact.length > 0 ? exact : all.filter((each) => basename(each.path) === word)
  const [found, other] = fitting
  if (!found || other)
    throw await fail(
      'not_found',
      found ? `${fitting.length} worktrees have the name "${word}"` : `No Remora worktree "${word}"`,
      found
        ? `Use a path: ${fitting.map((each) => each.path).join(', ')}`
        : 'List them: remora worktrees. Remove others with: git worktree remove <path>',
    )
  const removed = await askServer(io).post('/api/worktrees/remove', {
    body: { path: found.path },
    timeoutMs: gitMs,
    signal: io.stopped?.(),
  })
  if (values['json']) io.out(`${JSON.stringify(removed)}\n`)
  else {
    const kept = removed.branchKept
      ? `; branch ${removed.branch} is kept, because it has its own commits`
      : ''
    io.out(`Removed the worktree ${homePath(removed.path, io.home)}${kept}.\n`)
  }
  return 0
}
