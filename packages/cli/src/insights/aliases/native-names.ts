import type { PaveAgent } from '@remora/insights'
import { type Agent, agents, listPaveNames } from '@remora/sdk/hooks'

/** Parameter names that mean the same in CLIs and their versions. */
const params: readonly (readonly string[])[] = [
  ['file_path', 'absolute_path', 'filePath'],
  ['path', 'dir_path'],
  ['glob', 'include', 'include_pattern'],
]

/** The CLIs with a hook that corrects tool calls, and their names. */
export const paveAgents: readonly PaveAgent[] = agents().flatMap(toPaveAgent)

function toPaveAgent({ id, pave, tools }: Agent): PaveAgent[] {
  if (!pave) return []
  const names = pave.names ?? ((tool: string) => listPaveNames(tools ?? {}, tool))
  return [{ id, dialect: pave.dialect, tools: names, params: meant }]
}

function meant(param: string): readonly string[] {
  return params.find((names) => names.includes(param)) ?? [param]
}
