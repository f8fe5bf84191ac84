import { type LiveInfo, findMode, modeLikes, mainModes } from '@remora/protocol/plain'
import { profiles } from '@remora/sdk/profiles'

/** The description of an option that takes a mode. */
export const modeDescription = `Permission mode: ${modeLikes.join(', ')}, or one of the agent’s own`

/** All names of an agent's modes, for completion. @example listModeWords('gemini') // ['ask', …, 'yolo'] */
export function listModeWords(agent: string | undefined): string[] {
  const own = findModes(agent)?.flatMap(({ id, aliases = [] }) => [id, ...aliases]) ?? []
  const main = [...modeLikes, ...mainModes]
  const known = own.length === 0 ? main : main.filter((word) => findMode(findModes(agent)!, word))
  return [...new Set([...known, ...own])]
}

/** The label of a session's mode, or its name. @example getModeLabel({ agent: 'gemini', mode: 'bypassPermissions' }) // 'YOLO' */
export function getModeLabel({
  agent,
  mode,
  modeInfo,
}: Pick<LiveInfo, 'agent' | 'mode' | 'modeInfo'>): string | undefined {
  return modeInfo?.label ?? findMode(findModes(agent) ?? [], mode)?.label ?? mode
}

function findModes(agent: string | undefined) {
  return profiles.find(({ id, aliases }) => id === agent || aliases?.includes(agent ?? ''))?.modes
}
