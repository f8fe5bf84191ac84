import { getShortName, profiles } from '@remora/sdk/profiles'

/** Ids of all agents, also of those that the user added. */
export const agentNames: string[] = profiles.map(({ id }) => id)

const added = new Map<string, string>()

/** The agent in hints and examples. */
export const exampleAgent = agentNames[0]!

/** The short name of an agent; unknown agents of older ledgers are shown by their id. @example agentTitle('opencode') // 'OpenCode' */
export function agentTitle(agent: string): string {
  const found = profiles.find(({ id }) => id === agent)
  return found ? getShortName(found) : (added.get(agent) ?? agent)
}

/** Adds the names of agents that the user added, in place of those of an earlier call. */
export function setAddedNames(agents: readonly { readonly id: string; readonly title: string }[]): void {
  added.clear()
  for (const { id, title } of agents) if (!profiles.some((profile) => profile.id === id)) added.set(id, title)
  agentNames.splice(profiles.length, Infinity, ...added.keys())
}
