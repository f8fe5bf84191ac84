import type { Answer, AskBroker, AskOption } from '@remora/protocol/plain'
import { RemoraError } from '@remora/protocol/plain'
import { askPerson } from './ask-person.ts'
import { ruleFor } from './match.ts'
import { rulePlan } from './plan-mode.ts'
import type { Question } from './question.ts'
import { type PermissionWay, type Permissions, isAllow } from './rules.ts'

/** How a question was settled. Without an option it is cancelled. */
export interface Decision {
  readonly option?: AskOption
  /** The person's own words. */
  readonly text?: string
  readonly by: Exclude<Answer['by'], 'terminal'>
  readonly device?: string
  /** Why a policy could not do what it says, for the person who reads the session. */
  readonly reason?: string
  /** What was wrong with an answer, or with the broker. */
  readonly problem?: RemoraError
}

export interface DecideOptions {
  readonly permissions: Permissions
  readonly asks?: AskBroker | undefined
  /** The session is in plan mode: what could change anything is refused, whatever the permissions are. */
  readonly planning?: boolean
  readonly signal: AbortSignal
}

/**
 * Settles what an agent asks for: by rules, by a policy or by a person. Never rejects; an aborted signal cancels at once.
 *
 * @example (await decide(question, { permissions: 'allow', signal })).option?.id
 */
export async function decide(question: Question, how: DecideOptions): Promise<Decision> {
  if (how.signal.aborted) return { by: 'cancel' }
  const plan = how.planning ? rulePlan(question) : 'read'
  if (plan === 'refuse') return { ...refuse(question), reason: 'Plan mode is read-only' }
  if (plan === 'leave')
    return how.asks === undefined
      ? { ...refuse(question), reason: 'Only a person can end plan mode' }
      : askPerson(question, how.asks, how.signal)
  let way: PermissionWay
  try {
    way = await chooseWay(question, how)
  } catch (cause) {
    // Rules that cannot be looked up must not let anything pass.
    const problem = RemoraError.is(cause) ? cause : new RemoraError('unknown', String(cause), { cause })
    return { ...refuse(question), problem }
  }
  if (how.signal.aborted) return { by: 'cancel' }
  if (isAllow(way)) return allow(question)
  if (way === 'deny') return refuse(question)
  return how.asks === undefined
    ? { ...refuse(question), reason: 'There is nobody to ask' }
    : askPerson(question, how.asks, how.signal)
}

/**
 * A tool of our own program was offered by that program, which would not have offered what must not be called: it is
 * allowed whatever the permissions are, also by `deny`, which is about what the agent does with the machine. Else nothing
 * that works through such a tool, structured output first of all, would work without further ado. A rule counts for it
 * where the rule names tools.
 */
async function chooseWay(question: Question, { permissions, asks }: DecideOptions): Promise<PermissionWay> {
  const own = question.host === true
  if (typeof permissions === 'string') return own ? 'allow' : permissions
  const rules = own ? permissions.rules.filter((rule) => rule.tool !== undefined) : permissions.rules
  const rule = await ruleFor(rules, question)
  if (rule) return rule.decide
  return own ? 'allow' : (permissions.otherwise ?? (asks === undefined ? 'deny' : 'ask'))
}

/** Once. What holds for ever is a person's to choose, so where there is nothing else it is refused. */
function allow(question: Question): Decision {
  const option = question.ask.options.find(({ effect }) => effect === 'allow')
  if (option) return { option, by: 'policy' }
  return { ...refuse(question), reason: 'The agent does not offer to allow it only once' }
}

/** Once; a refusal for ever is a person's to choose too, and a cancelled question refuses as well. */
function refuse(question: Question): Decision {
  const option = question.ask.options.find(({ effect }) => effect === 'deny')
  return option
    ? { option, by: 'policy' }
    : { by: 'policy', reason: 'The agent does not offer to refuse it only once' }
}
