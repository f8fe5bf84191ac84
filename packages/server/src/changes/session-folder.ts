import type { SessionKey } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Context } from '../core/context.ts'
import { createElsewhereError } from '../fleet/machine-errors.ts'

type Parts = Pick<Context, 'live' | 'ledger'>

export interface SessionFolder {
  readonly key: SessionKey
  readonly cwd: string
  readonly startedAt: number
  /** The machine that has it, where that is another one. */
  readonly node?: string
}

/** The folder of a session on this machine. @example const { cwd } = await getSessionFolder(context, { agent, session }) */
export async function getSessionFolder(parts: Parts, key: SessionKey): Promise<SessionFolder> {
  const found = await findSessionFolder(parts, key)
  if (found.node === undefined) return found
  const { node } = found
  const name = (await parts.ledger.nodes.list()).find(({ id }) => id === node)?.name ?? node
  throw createElsewhereError('The files of this session are available', name, 'Open them there.')
}

/** Where a session works, live or not, on whichever machine. @example const { cwd, node } = await findSessionFolder(context, key) */
export async function findSessionFolder(
  { live, ledger }: Parts,
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
