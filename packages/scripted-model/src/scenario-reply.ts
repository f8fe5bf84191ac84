import type { Place } from './conversation.ts'
import type { Reply, Scenario } from './scenario.ts'

/** The turn and the reply by number; the last ones repeat. */
export function scenarioReply(scenario: Scenario, turn: number, place: Place): Reply {
  // A sub-agent has a conversation of its own, and its prompt is the scenario's: it must not start the scenario again.
  if (isSubtask(scenario, place.prompts[0])) return { text: 'Subtask done.' }
  const replies = scenario.turns[turn] ?? scenario.turns.at(-1) ?? []
  return replies[place.reply] ?? replies.at(-1) ?? {}
}

function isSubtask(scenario: Scenario, prompt: string | undefined): boolean {
  const calls = scenario.turns.flat().flatMap((reply) => reply.tools ?? [])
  return calls.some((call) => 'name' in call && call.name === 'Task' && call.input['prompt'] === prompt)
}
