import { parseArgs } from 'node:util'
import { RemoraError } from '@remora/protocol'
import { pinnedVersions } from '../clis.ts'
import { findDrift, nearestPinned } from './check.ts'
import { recordFailures } from './failures.ts'
import { planJobs } from './plan.ts'
import type { Selection } from './plan.ts'
import { record } from './record.ts'
import { fixtureChannels } from './recording.ts'
import type { FixtureChannel, Job, Recording } from './recording.ts'
import { removeStale, writeFixtures } from './store.ts'

const usage = `npm run fixtures -- [options]

Runs the scenarios through the pinned CLIs and writes what they say to packages/sdk/src/agents/<name>/fixtures.

  --check                     write nothing; compare the shapes of new recordings with the fixtures
  --agent <name>              only this agent
  --version <name>@<version>  with --check: any version that npm has
  --scenario <name>           only this scenario, or this play of screens
  --channel <name>            only this one of: ${fixtureChannels.join(', ')}
  --smoke                     with --check: one quick run

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
  const { selection, check, smoke, help, failures: failing } = options()
  if (help) {
    console.log(usage)
    return 0
  }
  if (failing) return (await recordFailures(selection, stopping.signal)) > 0 ? 1 : 0
  const jobs = await planJobs(selection)
  if (!check && selection.version && !pinnedVersions(selection.agent ?? '').includes(selection.version)) {
    throw new RemoraError('usage', `${selection.agent}@${selection.version} is not pinned`, {
      hint: 'Pin it in testkit/clis/package.json, or compare it with --check.',
    })
  }
  const { recordings, failures } = await recordAll(jobs, check ? undefined : writeFixtures)
  stopping.signal.throwIfAborted()
  const complete = Object.keys(selection).length === 0 && failures === 0
  if (!check && complete) {
    for (const agent of new Set(jobs.map((job) => job.agent))) await removeStale(agent, jobs)
  }
  const drift = check ? await findDrift(recordings) : []
  for (const line of drift) console.log(line)
  if (check) console.log(summary(selection, drift.length, smoke))
  return failures > 0 || drift.length > 0 ? 1 : 0
}

function summary({ agent, version }: Selection, count: number, smoke: boolean): string {
  const with_ =
    agent && version ? ` between ${agent}@${version} and ${agent}@${nearestPinned(agent, version)}` : ''
  if (count === 0) return `No drift${with_}${smoke ? ' (smoke run)' : ''}.`
  return `${count} difference${count === 1 ? '' : 's'}${with_}.`
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
  if ((what !== undefined && what !== 'failures') || more.length > 0) {
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
  return { selection, check, smoke: quick, help, failures: what === 'failures' }
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
