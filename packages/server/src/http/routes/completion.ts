import type { SessionKey } from '@remora/ledger'
import { type CommandHint, type ContextUse, completionApi } from '@remora/protocol/api'
import { findAgent } from '@remora/sdk'
import { tryGit } from '../../changes/git.ts'
import { placeOf } from '../../changes/session-folder.ts'
import type { Context } from '../../context.ts'
import { findPaths } from '../../files/find-paths.ts'
import { bestOf } from '../../files/rank-paths.ts'
import { findRoots } from '../../files/roots.ts'
import { toldBy } from '../../live/told.ts'
import { implement } from '../route.ts'

/** An agent may report thousands of commands. */
const maxCommands = 500
const maxText = 300

export const completionRoutes = implement(completionApi, {
  async listSlashCommands({ context, params }) {
    return { commands: (await listReported(context, params)) ?? (await listDefined(context, params)) }
  },

  async findFiles({ context, params, query: { text, limit } }) {
    const { cwd, node } = await placeOf(context, params)
    // The files of another machine are unknown here.
    if (node !== undefined) return { files: [] }
    const { env, signal } = context
    const paths = await findPaths(await findRoots(context), cwd, { env, signal })
    return {
      files: bestOf(paths, text, limit ?? 40).map((path) =>
        path.endsWith('/') ? { path: path.slice(0, -1), folder: true as const } : { path },
      ),
    }
  },

  async getContextUse({ context, params, query: { model } }) {
    const own = isHosted(context, params) ? parseUse((await toldBy(context.ledger, params)).context) : {}
    const size = own.size ?? (model === undefined ? undefined : findAgent(params.agent)?.contextOf?.(model))
    return { ...own, ...(size === undefined ? {} : { size }) }
  },

  async getSessionPlace({ context: { env, signal, ...context }, params }) {
    const { cwd, node } = await placeOf(context, params)
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
  const { commands } = await toldBy(context.ledger, key)
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
  const { cwd, node } = await placeOf(context, key)
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
