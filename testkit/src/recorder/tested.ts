import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Channel, type VersionRange, channels } from '@remora/protocol'
import { compareVersions, findAgent } from '@remora/sdk'
import { pinnedVersions, repository } from '../clis.ts'
import { getChannel } from './record.ts'
import type { FixtureChannel } from './recording.ts'

/** What is recorded of each channel. */
const recorded: Readonly<Record<Channel, FixtureChannel>> = {
  headless: 'stream',
  acp: 'acp',
  hooks: 'hooks',
  transcripts: 'session',
  terminal: 'screen',
}

/**
 * The tested range of each channel: the pinned versions that are recorded on it. The contract suites run on every pin, and
 * the unit tests read every recording.
 *
 * @example (await findTested('gemini')).acp // { oldest: '0.27.4', newest: '0.61.0' }
 */
export async function findTested(agent: string): Promise<Partial<Record<Channel, VersionRange>>> {
  const found: Partial<Record<Channel, VersionRange>> = {}
  const pins = pinnedVersions(agent).toSorted(compareVersions)
  for (const channel of channels) {
    const own = await Promise.all(pins.map((version) => isRecorded(agent, version, recorded[channel])))
    // A wrapper that speaks ACP is recorded with one version, and tested with every pin.
    const isShared = channel === 'acp' && findAgent(agent)?.acp?.wrappers !== undefined && own.includes(true)
    const versions = pins.filter((_version, at) => isShared || own[at])
    const [oldest, newest] = [versions[0], versions.at(-1)]
    if (oldest !== undefined && newest !== undefined) found[channel] = { oldest, newest }
  }
  return found
}

/** Writes the tested ranges of an agent into its folder. @example await writeTested('gemini') */
export async function writeTested(agent: string): Promise<void> {
  const folder = getAgentFolder(agent)
  if (existsSync(folder)) await writeFile(join(folder, 'tested.ts'), formatTested(await findTested(agent)))
}

/** The module with the ranges, as the formatter leaves it. */
export function formatTested(ranges: Partial<Record<Channel, VersionRange>>): string {
  const rows = Object.entries(ranges).map(
    ([channel, { oldest, newest }]) => `  ${channel}: { oldest: '${oldest}', newest: '${newest}' },\n`,
  )
  return [
    "import type { TestedRanges } from '../../contract/tested.ts'\n\n",
    '/** Written by `npm run fixtures`. Do not edit. */\n',
    `export const tested = {\n${rows.join('')}} as const satisfies TestedRanges\n`,
  ].join('')
}

/** Where the definition of an agent is. */
export function getAgentFolder(agent: string): string {
  return join(repository, 'packages', 'sdk', 'src', 'agents', agent)
}

/** Screens count only where the dialogs were recorded too. */
async function isRecorded(agent: string, version: string, channel: FixtureChannel): Promise<boolean> {
  const root = join(getAgentFolder(agent), ...(channel === 'screen' ? ['screens'] : []), 'fixtures', version)
  const names = await readdir(root, { recursive: true }).catch(() => [])
  return names.some((name) => /\.\w+$/.test(name) && getChannel(name.split(/[/\\]/).at(-1)!) === channel)
}
