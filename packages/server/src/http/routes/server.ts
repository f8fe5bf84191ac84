import { type AgentInfo, demoApi, serverApi } from '@remora/protocol/api'
import { type Agent, agents, capabilities, detect } from '@remora/sdk'
import { fleetTimes } from '../../fleet/heartbeats.ts'
import { createOpenApi } from '../openapi.ts'
import { type Route, implement } from '../route.ts'
import type { Demos } from '../../demo/demos.ts'

/** Detecting agents reads several files for each, so the result is cached. */
const cacheMs = 30_000
let cache: { at: number; key: string; agents: Promise<AgentInfo[]> } | undefined

export const serverRoutes = implement(serverApi, {
  getHealth: ({ context }) => ({ ok: true as const, version: context.version }),

  async listAgents({ context: { env, home } }) {
    const key = JSON.stringify([home, env['PATH']])
    if (!cache || cache.key !== key || Date.now() - cache.at > cacheMs) {
      const entry = {
        at: Date.now(),
        key,
        agents: Promise.all(agents().map((agent) => readAgent(agent, env, home))),
      }
      cache = entry
      entry.agents.catch(() => cache === entry && (cache = undefined))
    }
    return { agents: await cache.agents }
  },

  async listNodes({ context: { ledger } }) {
    if (ledger.node === undefined) return { nodes: [] }
    const nodes = await ledger.nodes.list()
    return {
      nodes: nodes.map(({ id, name, version, silentMs, live }) => ({
        id,
        name,
        version,
        silentMs,
        ...(silentMs > fleetTimes.silentMs ? { silent: true as const } : {}),
        live: live.filter(({ state }) => state !== 'ended').length,
        ...(id === ledger.node ? { here: true as const } : {}),
      })),
    }
  },

  getOpenApi: ({ context }) => createOpenApi(context.version),
})

async function readAgent(
  agent: Agent,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<AgentInfo> {
  const { installed, path, version, problems } = await detect(agent, { env, home })
  const can = capabilities(agent, version)
  const features = Object.entries(can).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  )
  return {
    id: agent.id,
    title: agent.title,
    installed,
    path,
    version,
    problems: [...problems],
    channels: [...can.channels],
    models: can.models.map(({ id, name, aliases }) => ({
      id,
      name,
      ...(aliases ? { aliases: [...aliases] } : {}),
    })),
    modes: [...can.permissionModes],
    modeSwitch: can.permissionModeSwitch,
    effort: [...can.effortLevels],
    features: Object.fromEntries(features),
  }
}

/** The demo for users without an installed agent. */
export function createDemoRoutes(demos: Demos): Route[] {
  return implement(demoApi, { getDemo: () => demos.state, startDemo: () => demos.start() })
}
