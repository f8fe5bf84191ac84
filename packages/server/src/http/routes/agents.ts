import { AgentInfo } from '@remora/protocol/api'
import { type Agent, agents, capabilities, detect } from '@remora/sdk'
import { z } from 'zod'
import { route } from '../route.ts'

/** To look costs a few files each; nobody installs an agent every second. */
const freshMs = 30_000
let known: { at: number; place: string; found: Promise<AgentInfo[]> } | undefined

export const agentRoutes = [
  route({
    method: 'get',
    path: '/api/agents',
    summary: 'The agents: which are there, and what each can do',
    access: 'viewer',
    shapes: { response: z.object({ agents: z.array(AgentInfo) }) },
    async handle({ context: { env, home } }) {
      const place = JSON.stringify([home, env['PATH']])
      if (!known || known.place !== place || Date.now() - known.at > freshMs) {
        const now = {
          at: Date.now(),
          place,
          found: Promise.all(agents().map((agent) => look(agent, env, home))),
        }
        known = now
        // A failure is not kept.
        now.found.catch(() => known === now && (known = undefined))
      }
      return { agents: await known.found }
    },
  }),
]

async function look(
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
    ...(path === undefined ? {} : { path }),
    ...(version === undefined ? {} : { version }),
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
