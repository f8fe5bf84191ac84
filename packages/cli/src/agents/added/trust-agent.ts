import { join } from 'node:path'
import { getPackageFolder, hashFolder, readAddedAgents, readPluginManifest } from '@remora/sdk/plugins'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { acceptPlugin, askUser, checkAsking, describeFiles, showPackageFolder } from './add-plugin.ts'

/** Asks the user about changed files of a plugin, and loads it again. */
export async function trustAgent(input: Input, io: Io): Promise<number> {
  const id = input.positionals[0]!
  const command = `remora agents trust ${id}`
  await checkAsking(input, command, io)
  const home = remoraHome(io)
  const entry = (await readAddedAgents(home)).find((each) => each.id === id)
  if (!entry) throw await fail('not_found', `You have not added an agent "${id}"`, 'See: remora agents')
  if (entry.kind !== 'plugin')
    throw new UsageError(
      `${id} is not a plugin`,
      'An agent that was added by its command has no files to trust.',
    )
  const folder = join(home, entry.folder)
  const hash = await hashFolder(folder).catch(() => undefined)
  if (!hash)
    throw await fail(
      'not_found',
      `The files of ${id} are missing`,
      `Add it again: remora agents add ${entry.source}`,
    )
  if (hash.integrity === entry.integrity) {
    if (input.values['json']) io.out(`${JSON.stringify(entry, null, 2)}\n`)
    else io.out(`The files of ${id} have not changed since you added it.\n`)
    return 0
  }
  const { name, version } = await readPluginManifest(getPackageFolder(home, entry))
  const offer = { folder, package: name, version, source: entry.source, hash }
  const rows: [string, string][] = [
    ['Plugin', `${name} ${version}`],
    ['Folder', showPackageFolder(entry, io)],
    ...describeFiles(offer),
    ['Before', `${entry.version}, ${entry.integrity}`],
  ]
  const question = 'Its files have changed since you added it. Trust them?'
  if (!(await askUser({ rows, question, command }, input, io))) return 1
  const trusted = await acceptPlugin(offer, io)
  if (input.values['json']) io.out(`${JSON.stringify(trusted, null, 2)}\n`)
  else io.out(`Trusted ${id}: ${trusted.package} ${trusted.version}\n`)
  return 0
}
