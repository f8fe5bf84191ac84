import { type LiveInfo, describeSupport } from '@remora/protocol'
import { type Agent, detect, getSupport, readProbe, withoutGuesses } from '@remora/sdk'
import type { LiveRecord } from './live-record.ts'
import type { ManagerParts } from './managed-session.ts'

/** How far the installed version is known to work on a channel; undefined if it is tested, or passed its probe. */
export async function findSupport(
  agent: Agent,
  { channel, cwd }: Pick<LiveRecord, 'channel' | 'cwd'>,
  { env, home, remoraHome }: Pick<ManagerParts, 'env' | 'home' | 'remoraHome'>,
): Promise<LiveInfo['support']> {
  const { version } = await detect(agent, { env, home, cwd })
  const support = getSupport(agent, version, await readProbe(remoraHome, agent.id, version))
  const isNotable = support && describeSupport(support, { title: agent.title, channels: [channel] })
  return isNotable ? support : undefined
}

/** The agent of a terminal session. If its version failed in the probe, its dialogs are shown but not interpreted. */
export function toShownAgent(agent: Agent, { support }: Pick<LiveRecord, 'support'>): Agent {
  return support?.channels['terminal'] === 'failed' ? withoutGuesses(agent) : agent
}
