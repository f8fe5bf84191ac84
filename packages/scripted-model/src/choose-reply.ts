import type { Place } from './conversation.ts'
import { repliesFor } from './language.ts'
import { scenarioReply } from './scenario-reply.ts'
import type { Reply, Scenario } from './scenario.ts'

/** The reply that belongs to a place in a conversation: the scenario's, or what the person's own words ask for. */
export function chooseReply(scenario: Scenario | undefined, known: Scenario[], place: Place): Reply {
  if (scenario === undefined) return repliesFor(place, known)
  return scenarioReply(scenario, place.prompts.length - 1, place)
}
