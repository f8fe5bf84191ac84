// The names and brands of all agents, without the agents. The bundled command contains only this data.
import { agents } from './agents/registry.ts'
import { toModeInfo } from './contract/agent.ts'
import type { Profile } from './contract/profile.ts'

export { getMemoryFile, getShortName } from './contract/profile.ts'
export type { Brand, Icon, Profile } from './contract/profile.ts'

/** The profiles of the built-in agents. @example profiles.map(({ id }) => id) */
export const profiles: readonly Profile[] = agents().map(
  ({ id, title, name, aliases, brand, memoryFile, variables, mention, modes, detection: { command } }) => ({
    id,
    title,
    name,
    // Users also write the name of the program.
    aliases: [...new Set([...(aliases ?? []), ...(command === id ? [] : [command])])],
    brand,
    memoryFile,
    variables,
    mention,
    ...(modes === undefined ? {} : { modes: modes.map(toModeInfo) }),
  }),
)
