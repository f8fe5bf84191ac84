import type { Position } from './conversation.ts'
import type { Reply, Scenario } from './scenario.ts'

/** The reply of a scenario by turn and number of reply; the last ones repeat. */
export function getScenarioReply(scenario: Scenario, turn: number, position: Position): Reply {
  // A sub-agent's conversation starts with a prompt of the scenario, and must not restart the scenario.
  if (isSubtask(scenario, position.prompts[0])) return { text: 'Subtask done.' }
  const replies = scenario.turns[turn] ?? scenario.turns.at(-1) ?? []
  return replies[position.reply] ?? replies.at(-1) ?? {}
}

function isSubtask(scenario: Scenario, prompt: string | undefined): boolean {
  const calls = scenario.turns.flat().flatMap((reply) => reply.tools ?? [])
  return calls.some((call) => 'name' in call && call.name === 'Task' && call.input['prompt'] === prompt)
}
