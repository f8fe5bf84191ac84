import { createHash } from 'node:crypto'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { askServer } from '../client/server-client.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** An agent that the user started in their own tmux. */
export interface Adoptable {
  /** A short name of ours for the pane. */
  readonly id: string
  readonly agent: string
  readonly socket: string
  readonly pane: string
  readonly pid: number
  readonly cwd: string
  /** The name of its tmux session. */
  readonly name?: string
  readonly session?: string
  readonly startedAt?: number
}

export async function listAdoptable(io: Io): Promise<Adoptable[]> {
  const { adoptable: found } = await askServer(io).get('/api/live/adoptable')
  return found.map((each) => ({ ...each, id: toPaneId(each) }))
}

/** Manages an agent, which stays in its pane. Its window keeps its size. */
export async function adopt({ values, positionals }: Input, io: Io): Promise<number> {
  await ensureServer(io)
  const [word] = positionals as [string]
  const all = await listAdoptable(io)
  const fitting = all.filter(
    ({ id, pane, pid, name, session }) =>
      id === word || pane === word || String(pid) === word || name === word || session === word,
  )
  if (fitting.length !== 1)
    throw await fail(
      'not_found',
      fitting.length === 0 ? `No agent "${word}" to adopt` : `"${word}" matches ${fitting.length} agents`,
      all.length === 0
        ? 'No other agent runs in your tmux.'
        : `One of: ${all.map(({ id, agent }) => `${id} (${agent})`).join(', ')}`,
    )
  const { socket, pane } = fitting[0]!
  const live = await askServer(io).post('/api/live/adopt', {
    body: { socket, pane },
  })
  if (values['json']) io.out(`${JSON.stringify(withIsoTimes(live, 'startedAt', 'since'), null, 2)}\n`)
  else
    io.out(
      `Adopted ${live.agent} as ${live.id}. It stays in its tmux pane. Next: remora send ${live.id} "…", remora asks\n`,
    )
  return 0
}

/** A short id that stays the same for the same process in the same pane. */
export function toPaneId({ socket, pane, pid }: Omit<Adoptable, 'id'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([socket, pane, pid]))
    .digest('hex')
  return `a-${digest.slice(0, 6)}`
}
