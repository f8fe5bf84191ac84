import type { SessionKey } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Context } from '../core/context.ts'
import { createElsewhereError } from '../fleet/machine-errors.ts'

type Deps = Pick<Context, 'live' | 'ledger'>

export interface SessionFolder {
  readonly key: SessionKey
  readonly cwd: string
  readonly startedAt: number
  /** The id of the machine, for a remote session. */
  readonly node?: string
}

/** Finds the folder of a session, or throws if it is on another machine. @example const { cwd } = await getSessionFolder(context, { agent, session }) */
export async function getSessionFolder(deps: Deps, key: SessionKey): Promise<SessionFolder> {
  const found = await findSessionFolder(deps, key)
  if (found.node === undefined) return found
  const { node } = found
  const name = (await deps.ledger.nodes.list()).find(({ id }) => id === node)?.name ?? node
  throw createElsewhereError('The files of this session are available', name, 'Open them there.')
}

/** Finds the folder of a session on any machine. @example const { cwd, node } = await findSessionFolder(context, key) */
export async function findSessionFolder(
  { live, ledger }: Deps,
  { agent, session }: SessionKey,
): Promise<SessionFolder> {
  const key = { agent, session }
  const now = live.of(key) ?? live.list().find((info) => info.agent === agent && info.id === session)
  if (now)
    return {
      key: { agent, session: now.session },
      cwd: now.cwd,
      startedAt: now.startedAt,
      ...(now.node ? { node: now.node.id } : {}),
    }
  const entry = await ledger.session(key)
  const isHere = entry?.node === undefined || entry.node === ledger.node
  if (entry?.cwd !== undefined)
    return { key, cwd: entry.cwd, startedAt: entry.startedAt, ...(isHere ? {} : { node: entry.node }) }
  throw new RemoraError('not_found', entry ? 'The folder of this session is unknown' : 'Session not found')
}
