import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { builtInAgents } from '@remora/sdk'
import {
  type AddedPlugin,
  type FolderHash,
  checkAgent,
  getPackageFolder,
  importPlugin,
  readAddedAgents,
  saveAddedAgent,
} from '@remora/sdk/plugins'
import { canAsk, confirm } from '../../command/confirm.ts'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { byteSize, plural } from '../../output/format-number.ts'
import { homePath } from '../../output/home-path.ts'
import { shellLine } from '../../output/shell-word.ts'
import { stagePackage } from './stage-package.ts'

/** What the user is asked about. */
export interface PluginOffer {
  /** The folder with `node_modules`. */
  readonly folder: string
  readonly package: string
  readonly version: string
  readonly source: string
  readonly hash: FolderHash
}

/** Installs a package without running it, asks the user, and adds the agent that it defines. */
export async function addPlugin(source: string, input: Input, io: Io): Promise<number> {
  const command = shellLine(['remora', 'agents', 'add', source])
  await checkAsking(input, command, io)
  const staged = await stagePackage(source, join(remoraHome(io), 'plugins'), io)
  try {
    const added = await readAddedAgents(remoraHome(io))
    const earlier = added.find((each) => each.kind === 'plugin' && each.package === staged.package)
    const isPath = staged.source !== `${staged.package}@${staged.version}`
    const rows: [string, string][] = [
      ['Plugin', `${staged.package} ${staged.version}`],
      ['Source', isPath ? `${homePath(staged.source, io.home)} (copied)` : 'npm registry'],
      ...describeFiles(staged),
      ...(earlier?.kind === 'plugin'
        ? [['Replaces', `${earlier.package} ${earlier.version}`] as [string, string]]
        : []),
    ]
    if (!(await askUser({ rows, question: 'Add it?', command }, input, io))) return 1
    const entry = await acceptPlugin(staged, io)
    if (input.values['json']) io.out(`${JSON.stringify(entry, null, 2)}\n`)
    else
      io.out(
        `Added ${entry.id}: ${entry.title} (${entry.package} ${entry.version})\n` +
          `  See: remora agents ${entry.id}\n  Check it: remora doctor ${entry.id}\n`,
      )
    return 0
  } finally {
    await rm(staged.folder, { recursive: true, force: true })
  }
}

/** The rows about installed files. */
export function describeFiles({ hash }: Pick<PluginOffer, 'hash'>): [string, string][] {
  return [
    ['Files', `${plural(hash.files, 'file')}, ${byteSize(hash.bytes)}, installed without scripts`],
    ['Hash', hash.integrity],
  ]
}

/** Throws if the user cannot agree, and for processes of agents: they must not add code that runs as the user. */
export async function checkAsking({ values }: Input, command: string, io: Io): Promise<void> {
  if (io.env['REMORA_RUN'])
    throw await fail(
      'forbidden',
      'An agent cannot add or trust a plugin',
      `Run this in a terminal of your own: ${command}`,
    )
  if (values['yes'] || canAsk(io)) return
  throw new UsageError(
    'Not a terminal, so Remora cannot ask for confirmation',
    `Pass --yes to confirm: ${command} --yes`,
  )
}

/** Shows what would run, and asks. */
export async function askUser(
  {
    rows,
    question,
    command,
  }: { readonly rows: readonly [string, string][]; readonly question: string; readonly command: string },
  { values }: Input,
  io: Io,
): Promise<boolean> {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  io.err(rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join(''))
  io.err('A plugin runs inside Remora with your rights: it can read your files and start programs.\n')
  if (values['yes']) return true
  if (await confirm(io, `${question} (y/n) `, `${command} --yes`)) return true
  io.err('Nothing was changed.\n')
  return false
}

/** Loads a plugin for the first time, checks the agent, and stores the files and the entry. */
export async function acceptPlugin(offer: PluginOffer, io: Io): Promise<AddedPlugin> {
  const home = remoraHome(io)
  const agent = await importPlugin(join(offer.folder, 'node_modules', offer.package))
  const faults = await checkAgent(agent)
  if (faults.length > 0)
    throw await fail(
      'config',
      `${offer.package} does not pass the contract checks:\n${faults.map(({ part, message }) => `    ${part}: ${message}`).join('\n')}`,
      'Report it to its author, or fix it and add it again.',
    )
  const { id, title } = agent
  if (builtInAgents.some((each) => each.id === id))
    throw await fail(
      'conflict',
      `${offer.package} defines the agent "${id}", which is part of Remora`,
      `Its author must choose another id, such as my-${id}`,
    )
  const taken = (await readAddedAgents(home)).find((each) => each.id === id)
  if (taken && !(taken.kind === 'plugin' && taken.package === offer.package))
    throw await fail(
      'conflict',
      `You have already added another agent "${id}"`,
      `Remove it first: remora agents remove ${id}`,
    )
  const { integrity } = offer.hash
  // Each version has a path of its own: a running server loads it as a new module.
  const name = integrity.replace(/^sha256-/, '').slice(0, 16)
  const entry: AddedPlugin = {
    kind: 'plugin',
    id,
    title,
    package: offer.package,
    version: offer.version,
    source: offer.source,
    integrity,
    folder: `plugins/${id}/${name}`,
    addedAt: Date.now(),
  }
  const parent = join(home, 'plugins', id)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const target = join(home, entry.folder)
  if (offer.folder !== target) {
    await rm(target, { recursive: true, force: true })
    await rename(offer.folder, target)
  }
  await saveAddedAgent(home, entry)
  for (const other of await readdir(parent))
    if (other !== name) await rm(join(parent, other), { recursive: true, force: true })
  return entry
}

/** The folder of a plugin's package, for messages. */
export function showPackageFolder(entry: AddedPlugin, io: Io): string {
  return homePath(getPackageFolder(remoraHome(io), entry), io.home)
}
