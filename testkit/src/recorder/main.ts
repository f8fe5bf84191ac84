import { parseArgs } from 'node:util'
import { RemoraError } from '@remora/protocol'
import { agents } from '@remora/sdk'
import { pinnedVersions } from '../clis.ts'
import { type Difference, findDrift, formatDifferences, findNearestRecorded } from './check.ts'
import { findNewest } from './newest.ts'
import { recordFailures } from './failures.ts'
import { planJobs } from './plan.ts'
import type { Selection } from './plan.ts'
import { record } from './record.ts'
import { fixtureChannels } from './recording.ts'
import type { FixtureChannel, Job, Recording } from './recording.ts'
import { removeStale, writeFixtures } from './store.ts'
import { writeTested } from './tested.ts'

const usage = `npm run fixtures -- [options]

Runs the scenarios through the pinned CLIs and writes what they say to packages/sdk/src/agents/<name>/fixtures.

  --check                     write nothing; compare the shapes of new recordings with the fixtures
  --agent <name>              only this agent
  --version <name>@<version>  with --check: any version that npm has
  --scenario <name>           only this scenario, or this play of screens
  --channel <name>            only this one of: ${fixtureChannels.join(', ')}
  --smoke                     with --check: one quick run

npm run fixtures -- tested

Writes the tested ranges of all agents from what is recorded. A complete recording does it too.

npm run drift [-- --agent <name>]

Compares the newest version of every agent on the npm registry with its nearest pin, in three scenarios.

npm run fixtures -- failures [--agent <name>]

Makes the CLIs fail in every way that is known and writes it to packages/insights/src/fixtures/failures.jsonl.
`

/** Two cores carry two CLIs at a time. */
const atOnce = 2

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopping.abort(new RemoraError('aborted', 'Stopped.')))
}

try {
  process.exitCode = await main()
} catch (error) {
  const known = RemoraError.is(error) ? error : undefined
  console.error(known ? `${known.message}\n${known.hint ?? ''}`.trimEnd() : error)
  process.exitCode = stopping.signal.aborted ? 130 : known?.code === 'usage' ? 2 : 1
}

async function main(): Promise<number> {
  const { selection, check, smoke, help, what } = options()
  if (help) {
    console.log(usage)
    return 0
  }
  if (what === 'tested') {
    for (const { id } of agents()) if (pinnedVersions(id).length > 0) await writeTested(id)
    return 0
  }
  if (what === 'drift') return checkNewest(selection.agent)
  if (what === 'failures') return (await recordFailures(selection, stopping.signal)) > 0 ? 1 : 0
  const jobs = await planJobs(selection)
  if (!check && selection.version && !pinnedVersions(selection.agent ?? '').includes(selection.version)) {
    throw new RemoraError('usage', `${selection.agent}@${selection.version} is not pinned`, {
      hint: 'Pin it in testkit/clis/package.json, or compare it with --check.',
    })
  }
  const { recordings, failures } = await recordAll(jobs, check ? undefined : writeFixtures)
  stopping.signal.throwIfAborted()
  const complete = Object.keys(selection).every((name) => name === 'agent') && failures === 0
  if (!check && complete) {
    for (const agent of new Set(jobs.map((job) => job.agent))) {
      await removeStale(agent, jobs)
      await writeTested(agent)
    }
  }
  const drift = check ? await findDrift(recordings) : []
  if (check) console.log([await summarize(selection, drift, smoke), ...formatDifferences(drift)].join('\n'))
  return failures > 0 || drift.length > 0 ? 1 : 0
}

/** The first line says whether anything breaks. */
async function summarize(
  { agent, version }: Selection,
  drift: readonly Difference[],
  smoke = false,
): Promise<string> {
  const between =
    agent && version
      ? ` between ${agent}@${version} and ${agent}@${await findNearestRecorded(agent, version)}`
      : ''
  if (drift.length === 0) return `No drift${between}${smoke ? ' (smoke run)' : ''}.`
  const breaks = drift.filter(({ consequence }) => consequence === 'breaks').length
  const verdict = breaks === 0 ? 'Nothing breaks' : `${breaks} may break a reader`
  return `${verdict}: ${drift.length} difference${drift.length === 1 ? '' : 's'}${between}.`
}

/** Scenarios that show on every channel whether a version works. */
const quick = ['hello', 'write-file', 'shell']

/** Compares the newest version of every agent on the registry with its nearest pin. */
async function checkNewest(only: string | undefined): Promise<number> {
  const lines: string[] = []
  const details: string[] = []
  let isBroken = false
  for (const { id } of agents()) {
    if (pinnedVersions(id).length === 0 || (only ?? id) !== id) continue
    stopping.signal.throwIfAborted()
    const version = await findNewest(id, stopping.signal)
    if (version === undefined) lines.push(`${id}: the registry did not answer`)
    else if (pinnedVersions(id).includes(version)) lines.push(`${id}@${version}: pinned`)
    else {
      const jobs = (await planJobs({ agent: id, version })).filter(
        ({ scenario, play }) => play === undefined && quick.includes(scenario.name),
      )
      const { recordings, failures } = await recordAll(jobs)
      const drift = await findDrift(recordings)
      const failed = failures === 0 ? '' : ` ${failures} of ${jobs.length} runs failed.`
      lines.push(`${id}@${version}: ${await summarize({ agent: id, version }, drift)}${failed}`)
      details.push(...formatDifferences(drift))
      isBroken ||= failures > 0 || drift.some(({ consequence }) => consequence === 'breaks')
    }
  }
  console.log([...lines, ...(details.length > 0 ? ['', ...details] : [])].join('\n'))
  return isBroken ? 1 : 0
}

async function recordAll(
  jobs: readonly Job[],
  keep?: (recording: Recording) => Promise<void>,
): Promise<{ recordings: Recording[]; failures: number }> {
  const recordings: Recording[] = []
  const queue = [...jobs]
  let done = 0
  let failures = 0
  const worker = async () => {
    for (let job = queue.shift(); job && !stopping.signal.aborted; job = queue.shift()) {
      const start = performance.now()
      const name = `${job.agent}@${job.version} ${job.scenario.name} (${job.channels.join(', ')})`
      try {
        const recording = await record(job, stopping.signal)
        recordings.push(recording)
        await keep?.(recording)
        console.error(
          `[${++done}/${jobs.length}] ${name} ${((performance.now() - start) / 1000).toFixed(1)} s`,
        )
      } catch (error) {
        if (stopping.signal.aborted) return
        failures++
        console.error(
          `[${++done}/${jobs.length}] ${name} FAILED: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { recordings, failures }
}

function options() {
  const { values, positionals } = parse()
  const [what, ...more] = positionals
  if ((what !== undefined && !['failures', 'tested', 'drift'].includes(what)) || more.length > 0) {
    throw new RemoraError('usage', `"${positionals.join(' ')}" cannot be recorded`, { hint: usage })
  }
  const [agent, version] = values.version?.split('@') ?? []
  if (values.version && (!agent || !version)) {
    throw new RemoraError('usage', `"${values.version}" is no version`, {
      hint: 'Write it as gemini@0.45.2.',
    })
  }
  const channel = fixtureChannels.find((each) => each === values.channel)
  if (values.channel && !channel) {
    throw new RemoraError('usage', `"${values.channel}" is no channel`, {
      hint: `Use ${fixtureChannels.join(', ')}.`,
    })
  }
  const smoke: Selection = {
    agent: 'gemini',
    scenario: 'hello',
    channels: ['stream', 'session'] satisfies FixtureChannel[],
  }
  const selection: Selection = {
    ...(values.smoke ? { ...smoke, version: pinnedVersions('gemini')[0] ?? '' } : {}),
    ...(values.agent ? { agent: values.agent } : {}),
    ...(agent && version ? { agent, version } : {}),
    ...(values.scenario ? { scenario: values.scenario } : {}),
    ...(channel ? { channels: [channel] } : {}),
  }
  const { check, smoke: quick, help } = values
  return { selection, check, smoke: quick, help, what }
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        check: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        agent: { type: 'string' },
        version: { type: 'string' },
        scenario: { type: 'string' },
        channel: { type: 'string' },
      },
    })
  } catch (cause) {
    throw new RemoraError('usage', (cause as Error).message, { hint: usage, cause })
  }
}
