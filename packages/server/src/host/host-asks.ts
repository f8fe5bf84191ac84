import { ledgerAsks } from '@remora/intake'
import type { Ledger } from '@remora/ledger'
import type { AskBroker } from '@remora/protocol/plain'
import type { Log } from '../core/log.ts'

/**
 * Who answers what the agent asks: rules where one fits, and else whoever does so through the ledger. What reads rules
 * is loaded at the first question: many sessions have none.
 */
export function hostAsks(ledger: Ledger, remoraHome: string, log: Log): AskBroker {
  let loading: Promise<AskBroker> | undefined
  const load = async (): Promise<AskBroker> => {
    const [{ policyAsks }, { PolicyFile, policyPath }] = await Promise.all([
      import('../approvals/policy-asks.ts'),
      import('../approvals/policy-file.ts'),
    ])
    const policies = new PolicyFile(policyPath(remoraHome), log)
    return policyAsks(() => policies.load(), ledgerAsks(ledger))
  }
  return {
    async ask(ask, about) {
      loading ??= load()
      return (await loading).ask(ask, about)
    },
  }
}
