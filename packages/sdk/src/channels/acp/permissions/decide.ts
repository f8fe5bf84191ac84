import type { Answer, AskBroker, AskOption } from '@remora/protocol/plain'
import { RemoraError } from '@remora/protocol/plain'
import { askPerson } from './ask-person.ts'
import { ruleFor } from './match.ts'
import { rulePlan } from './plan-mode.ts'
import type { Question } from './question.ts'
import { type PermissionWay, type Permissions, isAllow } from './rules.ts'

/** The decision about a question. Without an option it is cancelled. */
export interface Decision {
  readonly option?: AskOption
  /** The free text of the user. */
  readonly text?: string
  readonly by: Exclude<Answer['by'], 'terminal'>
  readonly device?: string
  /** Why a policy could not be applied, for the readers of the session. */
  readonly reason?: string
  /** The error of an answer or the broker. */
  readonly problem?: RemoraError
}

export interface DecideOptions {
  readonly permissions: Permissions
  readonly asks?: AskBroker | undefined
  /** Whether the session is in plan mode, in which every change is refused whatever the permissions. */
  readonly planning?: boolean
  readonly signal: AbortSignal
}

/**
 * Settles a permission request by rules, a policy or the user. Never rejects; an aborted signal cancels at once.
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
    // Rules that cannot be evaluated must not allow anything.
    const problem = RemoraError.is(cause) ? cause : new RemoraError('unknown', String(cause), { cause })
    return { ...refuse(question), problem }
  }
  if (how.signal.aborted) return { by: 'cancel' }
  if (isAllow(way)) return allow(question)
  if (way === 'deny') return refuse(question)
  return how.asks === undefined
    ? { ...refuse(question), reason: 'No user is connected to ask' }
    : askPerson(question, how.asks, how.signal)
}

/**
 * The caller's own tools are always allowed, even with `deny`, which is about the agent's access to the machine.
 * Without this, structured output and other host tools would need extra configuration. A rule applies to them if it
 * names tools.
 */
async function chooseWay(question: Question, { permissions, asks }: DecideOptions): Promise<PermissionWay> {
  const own = question.host === true
  if (typeof permissions === 'string') return own ? 'allow' : permissions
  const rules = own ? permissions.rules.filter((rule) => rule.tool !== undefined) : permissions.rules
  const rule = await ruleFor(rules, question)
  if (rule) return rule.decide
  return own ? 'allow' : (permissions.otherwise ?? (asks === undefined ? 'deny' : 'ask'))
}

/** Allows once. Only the user may allow always, so without another option the request is refused. */
function allow(question: Question): Decision {
  const option = question.ask.options.find(({ effect }) => effect === 'allow')
  if (option) return { option, by: 'policy' }
  return { ...refuse(question), reason: 'The agent does not offer to allow it only once' }
}

/** Refuses once. Only the user may refuse always; cancelling refuses as well. */
function refuse(question: Question): Decision {
  const option = question.ask.options.find(({ effect }) => effect === 'deny')
  return option
    ? { option, by: 'policy' }
    : { by: 'policy', reason: 'The agent does not offer to refuse it only once' }
}
