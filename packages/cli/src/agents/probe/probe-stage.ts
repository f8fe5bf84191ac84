import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel } from '@remora/protocol/plain'
import type { ScriptedModel } from '@remora/scripted-model'
import { type Agent, type ProbeCheck, type ProbeVerdict, type TestkitPart, probeChecks } from '@remora/sdk'
import type { ProbeHome } from './probe-home.ts'

/** How long one check may take at most. A busy machine needs minutes to start an agent. */
export const checkMs = 180_000

/** What all channels of a probe use. */
export interface ProbeStage {
  readonly agent: Agent & { readonly testkit: TestkitPart }
  readonly version: string
  /** The executable of the agent. */
  readonly path: string
  readonly home: ProbeHome
  readonly model: ScriptedModel
  readonly signal: AbortSignal
  /** A screen that has not changed for this long shows something that its reader does not understand. */
  readonly stalledMs: number
  /** How long a screen that keeps changing may take to show what is expected. */
  readonly limitMs: number
  /** Sessions by what was done in them, for the channels that read what was written. */
  readonly sessions: Map<'text' | 'tool' | 'approvals', string>
  /** Called before each check. */
  readonly begin: (channel: Channel, check: ProbeCheck) => unknown
}

/** Nothing to check: it is not a failure. */
export class NotApplicable extends Error {}

/** A check: throws if it fails, or `NotApplicable`. */
export type Check = () => Promise<void>

/** Runs the checks of a channel in order. After `text` has failed, the others are not tried. */
export async function runChecks(
  { begin, signal }: Pick<ProbeStage, 'begin' | 'signal'>,
  channel: Channel,
  checks: Readonly<Partial<Record<ProbeCheck, Check | string>>>,
): Promise<ProbeVerdict[]> {
  const verdicts: ProbeVerdict[] = []
  let obstacle: string | undefined
  for (const check of probeChecks) {
    const run = checks[check]
    if (typeof run !== 'function' || obstacle !== undefined) {
      const why = typeof run === 'function' ? obstacle : run
      verdicts.push({ channel, check, verdict: 'none', ...(why === undefined ? {} : { why }) })
      continue
    }
    begin(channel, check)
    try {
      await run()
      verdicts.push({ channel, check, verdict: 'passed' })
    } catch (error) {
      signal.throwIfAborted()
      const why = toLine((error as Error).message)
      if (error instanceof NotApplicable) verdicts.push({ channel, check, verdict: 'none', why })
      else {
        verdicts.push({ channel, check, verdict: 'failed', why })
        if (check === 'text' || error instanceof Stuck) obstacle = `Not tried: ${check} failed`
      }
    }
  }
  return verdicts
}

/** A failed check after which its channel cannot continue. */
export class Stuck extends Error {}

/** Throws unless it is so. */
export function expect(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise)
}

/** Waits for a value. @example await waitFor('The file was not written', () => home.has('a.txt'), signal) */
export async function waitFor<T>(
  otherwise: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  signal: AbortSignal,
  limitMs = checkMs,
): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const found = await find()
    if (found) return found
    if (Date.now() > end) throw new Error(otherwise)
    await sleep(50, undefined, { signal })
  }
}

/** Fails after the time of one check, since an agent may never answer. */
export async function withinCheck<T>(work: Promise<T>, otherwise: string, signal: AbortSignal): Promise<T> {
  const late = new AbortController()
  const timeout = sleep(checkMs, undefined, { signal: late.signal }).then(() => {
    throw new Stuck(otherwise)
  })
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: late.signal })
  })
  try {
    signal.throwIfAborted()
    return await Promise.race([work, timeout, stopped])
  } finally {
    late.abort()
    timeout.catch(() => {})
  }
}

/** Whether the model was sent a prompt together with an earlier one. */
export function remembers(model: ScriptedModel, prompt: string, earlier: string): boolean {
  return model.requests.some(
    (request) =>
      request.kind === 'turn' &&
      request.prompt?.includes(prompt) === true &&
      JSON.stringify(request.body ?? null).includes(earlier),
  )
}

function toLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
