import { findAgentByName } from '../../args/choose-agents.ts'
import { UsageError } from '../../command/errors.ts'
import type { Input } from '../../command/verb.ts'

/**
 * Replaces other agent names (`gemini-cli`) with the agent's id. Refuses several agents, and --top with --limit.
 *
 * @example return showPaths(chosen(input), io)
 */
export function chosen(input: Input): Input {
  const { values, lists } = input
  const named = [...new Set((lists['agent'] ?? []).map((name) => findAgentByName(name).id))]
  if (named.length > 1)
    throw new UsageError('--agent can be used only once here', `Run it once per agent: --agent ${named[0]!}`)
  if (values['top'] !== undefined && values['limit'] !== undefined)
    throw new UsageError('--top and --limit are the same', 'Leave one of them out')
  const [agent] = named
  return agent === undefined
    ? input
    : { ...input, values: { ...values, agent }, lists: { ...lists, agent: [agent] } }
}
