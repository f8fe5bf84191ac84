import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { agents, detect } from '@remora/sdk'
import { type AddedCommand, createAcpAgent, readAddedAgents, saveAddedAgent } from '@remora/sdk/plugins'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { shellLine } from '../../output/shell-word.ts'

/** Adds an agent. Only a user at this command does this: no project file, device, member or agent can. */
export async function addAgent(input: Input, io: Io): Promise<number> {
  const { acp: id } = input.values
  const [source] = input.positionals
  if (typeof id === 'string') {
    if (source === undefined) return addCommand(id, input, io)
    throw new UsageError(
      `Unexpected argument "${source}" with --acp`,
      'Put the command after --, or leave out --acp to add a package.',
    )
  }
  if (source === undefined)
    throw new UsageError(
      'remora agents add needs a package, a folder, or --acp <id>',
      'For example: remora agents add ./my-agent, or: remora agents add --acp mine -- my-agent --acp',
    )
  const useless = ['title', 'env'].find((name) => input.values[name] ?? input.lists[name]?.length)
  if (useless !== undefined || input.rest.length > 0)
    throw new UsageError(
      `${useless === undefined ? 'A command after --' : `--${useless}`} needs --acp <id>`,
      'A package defines its own agent.',
    )
  const { addPlugin } = await import('./add-plugin.ts')
  return addPlugin(source, input, io)
}

async function addCommand(id: string, { values, lists, rest }: Input, io: Io): Promise<number> {
  await checkId(id, io)
  const [word, ...args] = rest
  if (word === undefined)
    throw new UsageError(
      'remora agents add --acp needs a command after --',
      `For example: remora agents add --acp ${id} -- my-agent --acp`,
    )
  // A relative path would mean another program in every folder.
  const command = basename(word) === word ? word : resolve(io.cwd, word)
  const env = readVariables(lists['env'] ?? [])
  const entry: AddedCommand = {
    kind: 'acp',
    id,
    title: typeof values['title'] === 'string' ? values['title'] : id,
    command,
    // A file of this folder may be an argument: node agent.mjs.
    args: args.map((arg) =>
      /[/\\]|\.[cm]?js$/.test(arg) && existsSync(resolve(io.cwd, arg)) ? resolve(io.cwd, arg) : arg,
    ),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    addedAt: Date.now(),
  }
  const { path, problems } = await detect(createAcpAgent(entry), { ...io })
  if (path === undefined)
    throw await fail(
      'agent_missing',
      problems[0]?.message ?? `There is no program ${command}`,
      'Install it first, or pass the path of the program after --',
    )
  await saveAddedAgent(remoraHome(io), entry)
  if (values['json']) io.out(`${JSON.stringify({ ...entry, env: Object.keys(env), path }, null, 2)}\n`)
  else
    io.out(
      `Added ${id}: ${shellLine([command, ...entry.args])}\n` +
        `  Try it: remora chat ${id}\n  In the background and in the app: remora new ${id}\n`,
    )
  return 0
}

/** Throws if the id is invalid or names an agent of Remora. An added agent may be replaced. */
export async function checkId(id: string, io: Io): Promise<void> {
  if (!/^[a-z][\da-z-]*$/.test(id))
    throw new UsageError(`Invalid id "${id}"`, 'Use lower-case letters, digits and hyphens, such as my-agent')
  const added = await readAddedAgents(remoraHome(io))
  const isOwn = agents().some((agent) => agent.id === id) && !added.some((agent) => agent.id === id)
  if (isOwn)
    throw new UsageError(`Remora already has an agent "${id}"`, `Choose another id, such as my-${id}`)
}

function readVariables(options: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    options.map((option) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(option) ?? []
      if (name === undefined)
        throw new UsageError(`Invalid value "${option}" for --env`, 'Use --env NAME=value')
      return [name, value!]
    }),
  )
}
