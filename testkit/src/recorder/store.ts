import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pinnedVersions, repository } from '../clis.ts'
import { filesBelow } from '../home.ts'
import { getChannel } from './record.ts'
import type { Files, Job, Recording } from './recording.ts'

/** Where the fixtures of one CLI lie; those of plays apart, since only screens come of them. */
function fixturesFolder(agent: string, version: string, { plays }: { plays: boolean }): string {
  const folder = join(repository, 'packages', 'sdk', 'src', 'agents', agent, ...(plays ? ['screens'] : []))
  return join(folder, 'fixtures', version)
}

function getFolder({ agent, version, scenario, play }: Job): string {
  return join(fixturesFolder(agent, version, { plays: play !== undefined }), scenario.name)
}

/** The versions of a CLI that have fixtures. @example await listRecorded('gemini') // ['0.27.4', '0.34.0', '0.61.0'] */
export async function listRecorded(agent: string): Promise<string[]> {
  const names = await readdir(join(fixturesFolder(agent, '.', { plays: false }))).catch(() => [])
  return names.filter((name) => /^\d/.test(name))
}

/** Replaces what is there of the recorded channels, and nothing else. @example await writeFixtures(recording) */
export async function writeFixtures(recording: Recording): Promise<void> {
  const folder = getFolder(recording)
  await mkdir(folder, { recursive: true })
  for (const name of await filesBelow(folder)) {
    if (recording.channels.includes(getChannel(name))) await rm(join(folder, name))
  }
  for (const [name, text] of recording.files) await writeFile(join(folder, name), text)
}

/** The committed fixtures of one job. @example await readFixtures(job) */
export async function readFixtures(job: Job): Promise<Files> {
  const folder = getFolder(job)
  const names = (await filesBelow(folder)).filter((name) => job.channels.includes(getChannel(name)))
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

/** Takes away versions that are pinned no more, and what is recorded no more. @example await removeStale('gemini', jobs) */
export async function removeStale(agent: string, jobs: readonly Job[]): Promise<void> {
  const versions = pinnedVersions(agent)
  for (const plays of [false, true]) {
    const root = fixturesFolder(agent, '.', { plays })
    for (const version of await readdir(root).catch(() => [])) {
      const names = jobs
        .filter((job) => job.agent === agent && job.version === version && (job.play !== undefined) === plays)
        .map((job) => job.scenario.name)
      for (const name of await readdir(join(root, version))) {
        if (!names.includes(name)) await rm(join(root, version, name), { recursive: true })
      }
      if (!versions.includes(version)) await rm(join(root, version), { recursive: true })
    }
  }
}
