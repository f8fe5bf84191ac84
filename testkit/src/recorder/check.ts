import { compareReadings, readRecording } from './read-recording.ts'
import { getChannel } from './record.ts'
import type { Files, FixtureChannel, Recording } from './recording.ts'
import { type Drift, compareShapes, formatDrift, getShape } from './shape.ts'
import { listRecorded, readFixtures } from './store.ts'

/** What a difference means: a reader fails or may fail, something is new, or no reader notices it. */
export const consequences = ['breaks', 'new', 'cosmetic'] as const

/** One difference between a recording and the committed one. */
export interface Difference {
  readonly consequence: (typeof consequences)[number]
  readonly text: string
}

/**
 * What differs in kind between new recordings and the committed ones. Shapes are taken over all scenarios of a CLI and
 * channel together, so that a field which comes and goes is no drift.
 *
 * @example const differences = await findDrift(recordings)
 */
export async function findDrift(recordings: readonly Recording[]): Promise<Difference[]> {
  const found: Difference[] = []
  for (const [cli, group] of grouped(recordings)) found.push(...(await driftOf(cli, group)))
  return found
}

const headings: Readonly<Record<Difference['consequence'], string>> = {
  breaks: 'Breaks a reader, or may do so',
  new: 'New, and not read yet',
  cosmetic: 'Changed, but read the same',
}

/** Formats differences by consequence, the worst first. @example formatDifferences(await findDrift(recordings)) */
export function formatDifferences(differences: readonly Difference[]): string[] {
  return consequences.flatMap((consequence) => {
    const lines = differences.filter((each) => each.consequence === consequence).map(({ text }) => text)
    return lines.length === 0
      ? []
      : [`${headings[consequence]} (${lines.length}):`, ...lines.map((line) => `  ${line}`)]
  })
}

/**
 * The recorded version next to another one, whose fixtures it is compared with.
 *
 * @example await findNearestRecorded('gemini', '0.45.2') // '0.34.0'
 */
export async function findNearestRecorded(agent: string, version: string): Promise<string> {
  const distance = (other: string) => Math.abs(position(other) - position(version))
  return (await listRecorded(agent)).toSorted((a, b) => distance(a) - distance(b))[0] ?? version
}

async function driftOf(cli: string, recordings: readonly Recording[]): Promise<Difference[]> {
  const found: Difference[] = []
  const misread = new Set<FixtureChannel>()
  const [before, now] = [new Map<FixtureChannel, unknown[]>(), new Map<FixtureChannel, unknown[]>()]
  for (const { files, ...job } of recordings) {
    const { agent, version, scenario } = job
    const committed = await readFixtures({ ...job, version: await findNearestRecorded(agent, version) })
    if (committed.size === 0) {
      found.push({ consequence: 'new', text: `${cli}: ${scenario.name} has no fixtures yet` })
      continue
    }
    found.push(...compareFiles(cli, scenario.name, committed, files))
    const expected = readRecording(agent, committed)
    for (const [channel, events] of readRecording(agent, files)) {
      const change = compareReadings(expected.get(channel) ?? events, events)
      if (change === undefined) continue
      misread.add(channel)
      found.push({ consequence: 'breaks', text: `${cli} ${channel}: ${scenario.name} ${change}` })
    }
    addRecords(before, committed)
    addRecords(now, files)
  }
  for (const channel of new Set([...before.keys(), ...now.keys()])) {
    const drifts = compareShapes(getShape(before.get(channel) ?? []), getShape(now.get(channel) ?? []))
    const isRead = (channel === 'stream' || channel === 'hooks') && !misread.has(channel)
    for (const drift of drifts)
      found.push({
        consequence: getConsequence(drift, isRead),
        text: formatDrift(`${cli} ${channel}`, drift),
      })
  }
  return found
}

/** What is missing or has another type breaks a reader, unless that was tried and reads the same. */
function getConsequence({ text }: Drift, isRead: boolean): Difference['consequence'] {
  if (text.startsWith('new ')) return 'new'
  return isRead ? 'cosmetic' : 'breaks'
}

/** What shows in whole files: screens that never came, and exit codes. */
function compareFiles(cli: string, scenario: string, before: Files, now: Files): Difference[] {
  const screens = (files: Files) => [...files.keys()].filter((name) => getChannel(name) === 'screen')
  const codes = (files: Files) => {
    const meta = JSON.parse(files.get('meta.json') ?? '{}') as { runs?: { code: number | null }[] }
    return meta.runs?.map((run) => run.code).join(', ')
  }
  const breaks = screens(before).flatMap((name) =>
    now.has(name) ? [] : [`${cli} screen: ${scenario} ${name} is gone`],
  )
  const fresh = screens(now).filter((name) => !before.has(name))
  if (codes(before) !== codes(now)) {
    breaks.push(`${cli} stream: exit code of ${scenario} changed from ${codes(before)} to ${codes(now)}`)
  }
  return [
    ...breaks.map((text): Difference => ({ consequence: 'breaks', text })),
    ...fresh.map((name): Difference => ({
      consequence: 'new',
      text: `${cli} screen: ${scenario} ${name} is new`,
    })),
  ]
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
