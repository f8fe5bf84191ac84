import type { Channel } from '@remora/protocol/plain'

/** What a probe tries on every channel, in this order. */
export const probeChecks = ['text', 'tool', 'approve', 'deny', 'interrupt', 'resume'] as const
/** One of the checks of a probe. */
export type ProbeCheck = (typeof probeChecks)[number]

/** The outcome of one check. `none` means that the channel has nothing of the kind. */
export interface ProbeVerdict {
  readonly channel: Channel
  readonly check: ProbeCheck
  readonly verdict: 'passed' | 'failed' | 'none'
  /** Why it failed, or why there was nothing to check, in one line. */
  readonly why?: string
}

/** What `remora doctor --probe` found about one version of an agent on this machine. */
export interface ProbeReport {
  readonly agent: string
  readonly version: string
  /** The program that spoke ACP, if it was not the agent itself. @example 'codex-acp 2.6.0' */
  readonly wrapper?: string
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  readonly seconds: number
  readonly verdicts: readonly ProbeVerdict[]
}

/** What a probe found about one channel; undefined if it could check nothing there. @example getChannelVerdict(report, 'acp') */
export function getChannelVerdict(
  { verdicts }: Pick<ProbeReport, 'verdicts'>,
  channel: Channel,
): 'passed' | 'failed' | undefined {
  const own = verdicts.filter((each) => each.channel === channel && each.verdict !== 'none')
  if (own.length === 0) return undefined
  return own.some(({ verdict }) => verdict === 'failed') ? 'failed' : 'passed'
}
