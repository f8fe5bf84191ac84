import { CommandHint, ContextUse, FileHint, SessionPlace } from '@remora/protocol/api'
import { findAgent } from '@remora/sdk'
import { z } from 'zod'
import { tryGit } from '../../changes/git.ts'
import { placeOf } from '../../changes/session-folder.ts'
import type { Context } from '../../context.ts'
import { findPaths } from '../../files/find-paths.ts'
import { bestOf } from '../../files/rank-paths.ts'
import { findRoots } from '../../files/roots.ts'
import { toldBy } from '../../live/told.ts'
import { route } from '../route.ts'
import { SessionParams, count } from '../shapes.ts'

type Key = z.infer<typeof SessionParams>

/** An agent may tell thousands; nobody reads them. */
const mostCommands = 500
const longest = 300

/** What helps a person who writes to a session. */
export const completionRoutes = [
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/commands',
    summary:
      'The slash commands that the agent of a session knows: its own, and those that people have written',
    access: 'viewer',
    shapes: { params: SessionParams, response: z.object({ commands: z.array(CommandHint) }) },
    async handle({ context, params }) {
      const told = await toldCommands(context, params)
      return { commands: told ?? (await writtenCommands(context, params)) }
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/files',
    summary: 'Files and folders below the folder of a session that fit some letters, the best first',
    access: 'viewer',
    shapes: {
      params: SessionParams,
      query: z.object({ text: z.string().max(500).default(''), limit: count(200) }),
      response: z.object({ files: z.array(FileHint) }),
    },
    async handle({ context, params, query: { text, limit } }) {
      const { cwd, node } = await placeOf(context, params)
      // To name them there one must know them.
      if (node !== undefined) return { files: [] }
      const { env, signal } = context
      const paths = await findPaths(await findRoots(context), cwd, { env, signal })
      return {
        files: bestOf(paths, text, limit ?? 40).map((path) =>
          path.endsWith('/') ? { path: path.slice(0, -1), folder: true as const } : { path },
        ),
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/context',
    summary:
      'How much a model holds, and how much of it is used where the agent tells that itself; nothing where it is not certain',
    access: 'viewer',
    shapes: {
      params: SessionParams,
      query: z.object({ model: z.string().max(200).optional() }),
      response: ContextUse,
    },
    async handle({ context, params, query: { model } }) {
      const own = isHosted(context, params) ? readUse((await toldBy(context.ledger, params)).context) : {}
      const size = own.size ?? (model === undefined ? undefined : findAgent(params.agent)?.contextOf?.(model))
      return { ...own, ...(size === undefined ? {} : { size }) }
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:agent/:session/place',
    summary: 'The folder in which a session works, and the branch that it is on now',
    access: 'viewer',
    shapes: { params: SessionParams, response: SessionPlace },
    async handle({ context: { env, signal, ...context }, params }) {
      const { cwd, node } = await placeOf(context, params)
      if (node !== undefined) return { cwd }
      const options = { cwd, env, signal, timeoutMs: 5_000 }
      const branch = await tryGit(['symbolic-ref', '--short', '--quiet', 'HEAD'], options).catch(
        () => undefined,
      )
      return { cwd, ...(branch ? { branch } : {}) }
    },
  }),
]

function isHosted({ live }: Pick<Context, 'live'>, key: Key): boolean {
  return live.of(key)?.channel === 'acp'
}

/** Only over ACP an agent tells what it knows; it knows best. */
async function toldCommands(context: Context, key: Key): Promise<CommandHint[] | undefined> {
  if (!isHosted(context, key)) return undefined
  const { commands } = await toldBy(context.ledger, key)
  if (!Array.isArray(commands)) return undefined
  return (commands as unknown[]).slice(0, mostCommands).flatMap((each): CommandHint[] => {
    const { name, description, input } = (each ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name === '') return []
    const hint = (input as { hint?: unknown } | null | undefined)?.hint
    return [
      {
        name: name.slice(0, longest),
        from: 'agent',
        ...(typeof description === 'string' ? { description: description.slice(0, longest) } : {}),
        ...(typeof hint === 'string' ? { hint: hint.slice(0, longest) } : {}),
      },
    ]
  })
}

async function writtenCommands(context: Context, key: Key): Promise<CommandHint[]> {
  const part = findAgent(key.agent)?.commands
  if (!part) return []
  const { env, home } = context
  const { cwd, node } = await placeOf(context, key)
  // What is written for a project is on its own machine.
  if (node !== undefined) return part.own.slice(0, mostCommands)
  const byName = new Map<string, CommandHint>()
  // What is written for a project beats what is written for the user, and that the agent's own.
  for (const command of [...part.own, ...(await part.written({ env, home, cwd }))])
    byName.set(command.name, command)
  return [...byName.values()].slice(0, mostCommands)
}

function readUse(value: unknown): ContextUse {
  const { used, size } = (value ?? {}) as Record<string, unknown>
  return {
    ...(typeof used === 'number' && used >= 0 ? { used } : {}),
    ...(typeof size === 'number' && size > 0 ? { size } : {}),
  }
}
