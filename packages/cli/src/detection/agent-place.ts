import { type Agent, type Place, detect } from '@remora/sdk'
import type { Io } from '../command/io.ts'
import { loadConfig } from '../home/config.ts'
import { agentEnvironment } from './survey.ts'

/** The environment of an agent, with its installed version if any. */
export async function getAgentPlace(agent: Agent, io: Io): Promise<Place> {
  const place = {
    env: agentEnvironment(agent, await loadConfig(io), io),
    home: io.home,
    cwd: io.cwd,
  }
  const { version } = await detect(agent, { ...place, platform: io.platform })
  return version === undefined ? place : { ...place, version }
}
