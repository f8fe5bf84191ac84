import type { Channel } from '@remora/protocol/plain'
import { channels } from '@remora/protocol/plain'
import type { Agent, Capabilities } from './agent.ts'

/**
 * What a version of an agent can do: its features, and what its parts decide.
 *
 * @example capabilities(gemini, '0.27.4').planMode // false
 */
export function capabilities(agent: Agent, version?: string): Capabilities {
  const features = agent.features(version)
  return {
    ...features,
    channels: channels.filter((channel: Channel) => agent[channel] !== undefined),
    planMode: features.permissionModes.includes('plan'),
    permissionModeSwitch: agent.terminal?.modeSwitch ?? 'none',
  }
}
