import { raceAsks } from '@remora/intake'
import { type Answer, type AskBroker, RemoraError } from '@remora/protocol/plain'
import { type Policies, decideByRules } from './policies.ts'

/**
 * Lets rules answer before a person is asked, and denies after the timeout. The broker behind it gets the ask in both
 * cases, so that the ledger has the decision.
 *
 * @example const asks = createPolicyAsks(() => file.load(), ledgerAsks(ledger))
 */
export function createPolicyAsks(
  policies: Policies | (() => Promise<Policies>),
  broker: AskBroker,
): AskBroker {
  const load = typeof policies === 'function' ? policies : async () => policies
  return raceAsks(ruleAsks(load), broker)
}

/** Answers by rules only; never settles if none fits. */
function ruleAsks(load: () => Promise<Policies>): AskBroker {
  return {
    async ask(ask, { signal, ...about }) {
      const { rule, expiresAt } = await decideByRules(await load(), ask, about)
      const answer = (how: Omit<Answer, 'ask' | 'digest'>): Answer => ({
        ask: ask.id,
        ...how,
        digest: ask.digest,
      })
      if (rule) return answer(rule)
      const no = ask.options.find(({ effect }) => effect === 'deny')
      await over(signal, no && ask.kind === 'permission' ? expiresAt : undefined)
      if (signal.aborted || !no) throw new RemoraError('aborted', 'No rule is needed any more')
      return answer({ option: no.id, by: 'timeout' })
    },
  }
}

async function over(signal: AbortSignal, at: number | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const look = (): void => {
      const left = (at ?? Infinity) - Date.now()
      if (left <= 0) resolve()
      else if (left < Infinity) timer = setTimeout(look, Math.min(left, 2 ** 31 - 1))
    }
    look()
  })
  clearTimeout(timer)
}
