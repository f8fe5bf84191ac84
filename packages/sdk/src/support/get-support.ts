import { type Channel, type ChannelSupport, type Support, channels } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import { compareVersions } from '../versions/version.ts'
import { type ProbeReport, getChannelVerdict } from './probe-report.ts'

/**
 * How far a version of an agent is known to work, channel by channel; undefined if the version is unknown. A probe of
 * this machine counts more than the tested range, because it tried the user's own installation.
 *
 * @example getSupport(claude, '2.1.400', await readProbe(remoraHome, 'claude', '2.1.400'))?.channels.terminal // 'probed'
 */
export function getSupport(
  agent: Agent,
  version: string | undefined,
  probe?: ProbeReport,
): Support | undefined {
  if (version === undefined) return undefined
  const own = channels.filter((channel) => agent[channel] !== undefined)
  return {
    version,
    channels: Object.fromEntries(own.map((channel) => [channel, findState(agent, version, channel, probe)])),
    tested: { ...agent.tested },
  }
}

function findState(
  { tested }: Agent,
  version: string,
  channel: Channel,
  probe: ProbeReport | undefined,
): ChannelSupport {
  const verdict = probe?.version === version ? getChannelVerdict(probe, channel) : undefined
  if (verdict === 'failed') return 'failed'
  const range = tested?.[channel]
  const isTested =
    range !== undefined &&
    compareVersions(version, range.oldest) >= 0 &&
    compareVersions(version, range.newest) <= 0
  if (isTested) return 'tested'
  return verdict === 'passed' ? 'probed' : 'untested'
}
