import { RemoraError } from '@remora/protocol'
import { getCli } from '../clis.ts'
import { recordAcp } from './record-acp.ts'
import { recordHeadless } from './record-headless.ts'
import { recordPlay, recordScreens } from './record-screens.ts'
import type { Files, FixtureChannel, Job, Recording, Stage } from './recording.ts'

/** No scenario takes longer than this on a busy machine, retries of the CLI included. */
const limit = 300_000

/** Runs one job on all its channels. @example await record(job, signal) */
export async function record(job: Job, signal: AbortSignal): Promise<Recording> {
  // Not AbortSignal.any: on Node 20 a composed signal may be collected before its time is up.
  const ending = new AbortController()
  const stop = () => ending.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => {
    ending.abort(new RemoraError('timeout_total', `Not over after ${limit / 1000} s`))
  }, limit)
  try {
    return await recordChannels(job, ending.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

async function recordChannels(job: Job, signal: AbortSignal): Promise<Recording> {
  const stage: Stage = {
    cli: await getCli(job.agent, job.version, signal),
    scenario: job.scenario,
    signal,
  }
  const files = new Map<string, string>()
  const add = (recorded: Files) => recorded.forEach((text, name) => files.set(name, text))
  const wanted = (...channels: FixtureChannel[]) => channels.some((channel) => job.channels.includes(channel))
  if (wanted('stream', 'session', 'hooks')) add(await recordHeadless(stage))
  if (wanted('acp')) add(await recordAcp(stage))
  if (job.play) add(await recordPlay(stage, job.play))
  else if (wanted('screen')) add(await recordScreens(stage))
  for (const name of files.keys()) if (!wanted(getChannel(name))) files.delete(name)
  return { ...job, files }
}

/** The channel that a fixture belongs to. @example getChannel('stream-2.jsonl') // 'stream' */
export function getChannel(file: string): FixtureChannel {
  if (file.startsWith('acp')) return 'acp'
  if (file.startsWith('screen')) return 'screen'
  if (file.startsWith('hooks')) return 'hooks'
  return file.startsWith('session') ? 'session' : 'stream'
}
