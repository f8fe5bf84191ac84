import { type Ledger, type SessionKey, usageGroups } from '@remora/ledger'
import { RemoraError, formatCursor, parseCursor } from '@remora/protocol'
import {
  type CommandHint,
  type ContextUse,
  type SessionInfo,
  completionApi,
  sessionsApi,
} from '@remora/protocol/api'
import { findAgent } from '@remora/sdk'
import { tryGit } from '../../git/git.ts'
import { findSessionFolder } from '../../changes/session-folder.ts'
import type { Context } from '../../core/context.ts'
import { findPaths, rankPaths } from '../../files/find-paths.ts'
import { findRoots } from '../../files/roots.ts'
import { readAcpStatus } from '../../live/acp-status.ts'
import { readMessagePage, removeRaw } from '../../core/messages.ts'
import { implement } from '../route.ts'

export const sessionRoutes = implement(sessionsApi, {
  async listSessions({ context, query }) {
    const sessions = await context.ledger.sessions({ limit: 100, ...omitUndefined(query) })
    return { sessions: sessions.map((entry) => addLive(context, entry)) }
  },

  getSession: ({ context, params }) => getSummary(context, params),

  async updateSession({ context, params, body }) {
    if (!(await context.ledger.annotate(params, body))) throw createNotFoundError(params)
    return getSummary(context, params)
  },

  async listMessages({ context, params, query }) {
    await find(context, params)
    const { cursor, ...page } = await readMessagePage(context.ledger, params, {
      ...query,
      limit: query.limit ?? 50,
    })
    return { ...page, messages: [...page.messages], cursor: formatCursor(cursor) }
  },

  async listEvents({ context, params, query }) {
    const after = query.after === undefined ? undefined : readCursor(query.after)
    const page = await context.ledger.read({
      session: params,
      limit: query.limit ?? 500,
      ...(after ? { after } : {}),
    })
    return {
      events: query.raw ? page.events : page.events.map(removeRaw),
      cursor: formatCursor(page.cursor),
      ...(page.gap ? { gap: true as const } : {}),
    }
  },

  async search({ context, query: { text, ...rest } }) {
    return { hits: await context.ledger.search({ text, limit: 50, ...omitUndefined(rest) }) }
  },

  async getUsage({ context, query: { by, ...rest } }) {
    const groups = by?.split(',').map((name) => {
      const group = usageGroups.find((each) => each === name)
      if (!group)
        throw new RemoraError('usage', `Unknown group ${name.slice(0, 40)}`, {
          hint: usageGroups.join(', '),
        })
      return group
    })
    const entries = await context.ledger.usage({ ...omitUndefined(rest), ...(groups ? { by: groups } : {}) })
    return { entries }
  },
})

async function find(context: Context, key: SessionKey) {
  const entry = await context.ledger.session(key)
  if (!entry) throw createNotFoundError(key)
  return entry
}

async function getSummary(context: Context, key: SessionKey) {
  return { ...addLive(context, await find(context, key)), ...(await findArchives(context.ledger, key)) }
}

function addLive<T extends SessionKey>(context: Context, entry: T): T & { live?: string } {
  const live = context.live.of({ agent: entry.agent, session: entry.session })
  return live ? { ...entry, live: live.id } : entry
}

function createNotFoundError({ agent, session }: SessionKey): RemoraError {
  return new RemoraError('not_found', `No ${agent} session ${session}`)
}

function readCursor(text: string) {
  const cursor = parseCursor(text)
  if (!cursor) throw new RemoraError('usage', 'Invalid cursor')
  return cursor
}

/** Lists the archives that hold removed months of a session, so that they do not look lost. */
export async function findArchives(
  { months }: Ledger,
  { agent, session }: SessionKey,
): Promise<Pick<SessionInfo, 'archives'>> {
  const found = (await months?.archives({ agent, session })) ?? []
  if (found.length === 0) return {}
  return { archives: found.map(({ month, machine, file, events }) => ({ month, machine, file, events })) }
}

/** Drops undefined fields, which the ledger would treat as given. */
function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

/** An agent may report thousands of commands. */
const maxCommands = 500
const maxText = 300

export const completionRoutes = implement(completionApi, {
  async listSlashCommands({ context, params }) {
    return { commands: (await listReported(context, params)) ?? (await listDefined(context, params)) }
  },

  async findFiles({ context, params, query: { text, limit } }) {
    const { cwd, node } = await findSessionFolder(context, params)
    // The files of another machine are unknown here.
    if (node !== undefined) return { files: [] }
    const { env, signal } = context
    const paths = await findPaths(await findRoots(context), cwd, { env, signal })
    return {
      files: rankPaths(paths, text, limit ?? 40).map((path) =>
        path.endsWith('/') ? { path: path.slice(0, -1), folder: true as const } : { path },
      ),
    }
  },

  async getContextUse({ context, params, query: { model } }) {
    const own = isHosted(context, params)
      ? parseUse((await readAcpStatus(context.ledger, params)).context)
      : {}
    const size =
      own.size ?? (model === undefined ? undefined : findAgent(params.agent)?.getContextWindow?.(model))
    return { ...own, size }
  },

  async getSessionPlace({ context: { env, signal, ...context }, params }) {
    const { cwd, node } = await findSessionFolder(context, params)
    if (node !== undefined) return { cwd }
    const options = { cwd, env, signal, timeoutMs: 5_000 }
    const branch = await tryGit(['symbolic-ref', '--short', '--quiet', 'HEAD'], options).catch(
      () => undefined,
    )
    return { cwd, ...(branch ? { branch } : {}) }
  },
})

function isHosted({ live }: Pick<Context, 'live'>, key: SessionKey): boolean {
  return live.of(key)?.channel === 'acp'
}

/** Lists the commands that an agent reports, which only happens over ACP. */
async function listReported(context: Context, key: SessionKey): Promise<CommandHint[] | undefined> {
  if (!isHosted(context, key)) return undefined
  const { commands } = await readAcpStatus(context.ledger, key)
  if (!Array.isArray(commands)) return undefined
  return (commands as unknown[]).slice(0, maxCommands).flatMap((each): CommandHint[] => {
    const { name, description, input } = (each ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name === '') return []
    const hint = (input as { hint?: unknown } | null | undefined)?.hint
    return [
      {
        name: name.slice(0, maxText),
        from: 'agent',
        ...(typeof description === 'string' ? { description: description.slice(0, maxText) } : {}),
        ...(typeof hint === 'string' ? { hint: hint.slice(0, maxText) } : {}),
      },
    ]
  })
}

async function listDefined(context: Context, key: SessionKey): Promise<CommandHint[]> {
  const part = findAgent(key.agent)?.commands
  if (!part) return []
  const { env, home } = context
  const { cwd, node } = await findSessionFolder(context, key)
  // The commands of a project are files on its own machine.
  if (node !== undefined) return part.own.slice(0, maxCommands)
  const byName = new Map<string, CommandHint>()
  // A command of the project replaces one of the user, which replaces a built-in one.
  for (const command of [...part.own, ...(await part.written({ env, home, cwd }))])
    byName.set(command.name, command)
  return [...byName.values()].slice(0, maxCommands)
}

function parseUse(value: unknown): ContextUse {
  const { used, size } = (value ?? {}) as Record<string, unknown>
  return {
    ...(typeof used === 'number' && used >= 0 ? { used } : {}),
    ...(typeof size === 'number' && size > 0 ? { size } : {}),
  }
}
