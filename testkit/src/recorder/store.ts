import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pinnedVersions, repository } from '../clis.ts'
import { filesBelow } from '../home.ts'
import { channelOf } from './record.ts'
import type { Files, FixtureChannel, Recording } from './recording.ts'

/** Where the fixtures of one CLI lie. @example fixturesFolder('gemini', '0.61.0') */
export function fixturesFolder(agent: string, version: string): string {
  return join(repository, 'packages', 'sdk', 'src', 'agents', agent, 'fixtures', version)
}

/** Replaces what is there of the recorded channels, and nothing else. @example await writeFixtures(recording) */
export async function writeFixtures({ agent, version, scenario, channels, files }: Recording): Promise<void> {
  const folder = join(fixturesFolder(agent, version), scenario.name)
  await mkdir(folder, { recursive: true })
  for (const name of await filesBelow(folder)) {
    if (channels.includes(channelOf(name))) await rm(join(folder, name))
  }
  for (const [name, text] of files) await writeFile(join(folder, name), text)
}

/** The committed fixtures of one scenario, as far as they belong to some channels. @example await readFixtures('gemini', '0.61.0', 'hello', ['stream']) */
export async function readFixtures(
  agent: string,
  version: string,
  scenario: string,
  channels: readonly FixtureChannel[],
): Promise<Files> {
  const folder = join(fixturesFolder(agent, version), scenario)
  const names = (await filesBelow(folder)).filter((name) => channels.includes(channelOf(name)))
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

/** Takes away versions that are pinned no more, and scenarios that are gone. @example await removeStale('gemini', ['hello']) */
export async function removeStale(agent: string, scenarios: readonly string[]): Promise<void> {
  const versions = pinnedVersions(agent)
  for (const version of await readdir(fixturesFolder(agent, '.')).catch(() => [])) {
    if (!versions.includes(version)) await rm(fixturesFolder(agent, version), { recursive: true })
  }
  for (const version of versions) {
    for (const name of await readdir(fixturesFolder(agent, version)).catch(() => [])) {
      if (!scenarios.includes(name)) await rm(join(fixturesFolder(agent, version), name), { recursive: true })
    }
  }
}
