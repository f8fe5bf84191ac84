import { pinnedVersions } from '../clis.ts'
import { getChannel } from './record.ts'
import type { Files, FixtureChannel, Recording } from './recording.ts'
import { compareShapes, formatDrift, getShape } from './shape.ts'
import { readFixtures } from './store.ts'

/**
 * What differs in kind between new recordings and the committed ones, in lines to be read. Shapes are taken over all
 * scenarios of a CLI and channel together, so that a field which comes and goes is no drift.
 *
 * @example const lines = await findDrift(recordings)
 */
export async function findDrift(recordings: readonly Recording[]): Promise<string[]> {
  const lines: string[] = []
  for (const [cli, group] of grouped(recordings)) lines.push(...(await driftOf(cli, group)))
  return lines
}

/** The pinned version next to another one, whose fixtures it is compared with. @example nearestPinned('gemini', '0.45.2') // '0.34.0' */
export function nearestPinned(agent: string, version: string): string {
  const distance = (other: string) => Math.abs(position(other) - position(version))
  return pinnedVersions(agent).toSorted((a, b) => distance(a) - distance(b))[0] ?? version
}

async function driftOf(cli: string, recordings: readonly Recording[]): Promise<string[]> {
  const lines: string[] = []
  const [before, now] = [new Map<FixtureChannel, unknown[]>(), new Map<FixtureChannel, unknown[]>()]
  for (const { files, ...job } of recordings) {
    const { agent, version, scenario } = job
    const committed = await readFixtures({ ...job, version: nearestPinned(agent, version) })
    if (committed.size === 0) {
      lines.push(`${cli}: ${scenario.name} has no fixtures yet`)
      continue
    }
    lines.push(...compareFiles(cli, scenario.name, committed, files))
    addRecords(before, committed)
    addRecords(now, files)
  }
  for (const channel of new Set([...before.keys(), ...now.keys()])) {
    const drifts = compareShapes(getShape(before.get(channel) ?? []), getShape(now.get(channel) ?? []))
    lines.push(...drifts.map((drift) => formatDrift(`${cli} ${channel}`, drift)))
  }
  return lines
}

/** What shows in whole files: screens that never came, and exit codes. */
function compareFiles(cli: string, scenario: string, before: Files, now: Files): string[] {
  const screens = (files: Files) => [...files.keys()].filter((name) => getChannel(name) === 'screen')
  const codes = (files: Files) => {
    const meta = JSON.parse(files.get('meta.json') ?? '{}') as { runs?: { code: number | null }[] }
    return meta.runs?.map((run) => run.code).join(', ')
  }
  const lines = [
    ...screens(before).flatMap((name) =>
      now.has(name) ? [] : [`${cli} screen: ${scenario} ${name} is gone`],
    ),
    ...screens(now).flatMap((name) =>
      before.has(name) ? [] : [`${cli} screen: ${scenario} ${name} is new`],
    ),
  ]
  if (codes(before) !== codes(now)) {
    lines.push(`${cli} stream: exit code of ${scenario} changed from ${codes(before)} to ${codes(now)}`)
  }
  return lines
}

function addRecords(all: Map<FixtureChannel, unknown[]>, files: Files): void {
  for (const [name, text] of files) {
    if (!/\.jsonl?$/.test(name) || name === 'meta.json') continue
    const channel = getChannel(name)
    all.set(channel, [...(all.get(channel) ?? []), ...parseRecords(name, text)])
  }
}

/** The records of a fixture, as its shape is taken. @example parseRecords('acp.jsonl', text) */
export function parseRecords(name: string, text: string): unknown[] {
  if (name.endsWith('.json')) {
    // One document: its messages are the records, and what is around them is one more.
    const { messages = [], ...around } = JSON.parse(text) as { messages?: unknown[] }
    return [around, ...messages]
  }
  const records = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parsed(line)]))
  return name === 'acp.jsonl' ? named(records as Wire[]) : records
}

interface Wire {
  readonly from: string
  readonly message: { readonly id?: unknown; readonly method?: string }
}

/** A response is told by the request that it answers, which the other side sent. */
function named(records: readonly Wire[]): unknown[] {
  const methods = new Map<string, string>()
  return records.map(({ from, message }) => {
    if (message.method !== undefined) {
      methods.set(`${from} ${String(message.id)}`, message.method)
      return message
    }
    const other = from === 'agent' ? 'client' : 'agent'
    return { answers: methods.get(`${other} ${String(message.id)}`) ?? '?', ...message }
  })
}

function grouped(recordings: readonly Recording[]): Map<string, Recording[]> {
  const groups = new Map<string, Recording[]>()
  for (const recording of recordings) {
    const key = `${recording.agent}@${recording.version}`
    groups.set(key, [...(groups.get(key) ?? []), recording])
  }
  return groups
}

function position(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return major * 1e6 + minor * 1e3 + patch
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
