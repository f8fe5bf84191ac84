import type { Answer, Ask } from '@remora/protocol'
import { words } from '../words/index.ts'

const longest = 120

/** Describes how and by whom a request was settled. @example formatSettlement(ask, answer, client) // 'Answered elsewhere: Deny, by Tablet' */
export function formatSettlement(
  ask: Ask,
  answer: Answer,
  client: string | undefined,
  person?: string,
): string {
  const { settledBy } = words.asks
  const what = formatDecision(ask, answer)
  switch (answer.by) {
    case 'person':
      if (isMine(answer, client)) return settledBy.mine(what ?? '')
      return settledBy.elsewhere(what ?? '', formatSender(answer, person))
    case 'policy':
      return settledBy.policy(what ?? '')
    case 'timeout':
      return settledBy.timeout
    case 'terminal':
      return answer.inferred === undefined ? settledBy.terminal(what) : settledBy.inferred[answer.inferred]
    default:
      return settledBy.cancel
  }
}

/** Whether this device answered. The server identifies a device by name and id. */
export function isMine({ by, device }: Answer, client: string | undefined): boolean {
  return by === 'person' && client !== undefined && device?.endsWith(`(${client})`) === true
}

/** Whether the answer lets the agent continue. */
export function getEffect(ask: Ask, answer: Answer): 'allow' | 'deny' | 'other' {
  if (answer.by === 'timeout') return 'deny'
  const effect = ask.options.find(({ id }) => id === answer.option)?.effect ?? answer.inferred
  if (effect?.startsWith('allow')) return 'allow'
  return effect?.startsWith('deny') ? 'deny' : 'other'
}

function formatDecision(ask: Ask, { option, text }: Answer): string | undefined {
  if (text !== undefined) return words.asks.quote(text.length > longest ? `${text.slice(0, longest)}…` : text)
  return ask.options.find(({ id }) => id === option)?.label ?? option
}

/** The device, and for another person also the name. */
function formatSender({ person, device }: Answer, me: string | undefined): string {
  const bare = device?.replace(/ \([^()]*\)$/, '') ?? words.asks.anotherDevice
  const where = device === 'this machine' ? words.asks.machine : bare
  return person === undefined || me === undefined || person === me ? where : words.asks.of(person, where)
}
