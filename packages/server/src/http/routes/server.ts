import { type AgentInfo, demoApi, serverApi } from '@remora/protocol/api'
import { type Agent, type Brand, agents, capabilities, detect, getSupport, readProbe } from '@remora/sdk'
import { getShortName } from '@remora/sdk/profiles'
import type { BrokenAgent } from '@remora/sdk/plugins'
import { refreshAgents } from '../../core/added-agents.ts'
import type { Context } from '../../core/context.ts'
import { fleetTimes } from '../../fleet/heartbeats.ts'
import { createOpenApi } from '../openapi.ts'
import { type Route, implement } from '../route.ts'
import type { Demos } from '../../demo/demos.ts'

/** Detecting agents reads several files for each, so the result is cached. */
const cacheMs = 30_000
let cache: { at: number; key: string; agents: Promise<AgentInfo[]> } | undefined

export const serverRoutes = implement(serverApi, {
  getHealth: ({ context }) => ({ ok: true as const, version: context.version }),

  async listAgents({ context }) {
    const broken = await refreshAgents(context)
    const { env, home, remoraHome } = context
    const key = JSON.stringify([
      home,
      env['PATH'],
      agents().map(({ id, title, name, brand }) => [id, title, name, brand]),
    ])
    if (!cache || cache.key !== key || Date.now() - cache.at > cacheMs) {
      const entry = {
        at: Date.now(),
        key,
        agents: Promise.all(agents().map((agent) => readAgent(agent, { env, home, remoraHome }))),
      }
      cache = entry
      entry.agents.catch(() => cache === entry && (cache = undefined))
    }
    return { agents: [...(await cache.agents), ...broken.map(describeBroken)] }
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

/** An added agent that is not loaded: nothing is known of it but its problem. */
function describeBroken({ id, title, problem }: BrokenAgent): AgentInfo {
  return {
    id,
    title,
    installed: false,
    problems: [problem],
    channels: [],
    models: [],
    modes: [],
    permissionModes: [],
    modeSwitch: 'none',
    effort: [],
    features: {},
  }
}

async function readAgent(
  agent: Agent,
  { env, home, remoraHome }: Pick<Context, 'env' | 'home' | 'remoraHome'>,
): Promise<AgentInfo> {
  const { installed, path, version, problems } = await detect(agent, { env, home })
  const can = capabilities(agent, version)
  const features = Object.entries(can).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  )
  return {
    id: agent.id,
    title: agent.title,
    name: getShortName(agent),
    ...(agent.brand ? { brand: toBrand(agent.brand) } : {}),
    ...(agent.mention ? { mention: agent.mention } : {}),
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
    permissionModes: [...can.modes],
    modeSwitch: can.permissionModeSwitch,
    effort: [...can.effortLevels],
    features: Object.fromEntries(features),
    support: getSupport(agent, version, await readProbe(remoraHome, agent.id, version)),
  }
}

/** Only the fields of a brand: a plugin may have others. */
function toBrand({ hue, icon }: Brand): Brand {
  const { path, stroke } = icon
  return {
    hue: { light: hue.light, dark: hue.dark },
    icon: { path, ...(stroke === undefined ? {} : { stroke }) },
  }
}

/** The demo for users without an installed agent. */
export function createDemoRoutes(demos: Demos): Route[] {
  return implement(demoApi, { getDemo: () => demos.state, startDemo: () => demos.start() })
}
