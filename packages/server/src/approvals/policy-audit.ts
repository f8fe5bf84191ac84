import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Ledger } from '@remora/ledger'
import type { Log } from '../core/log.ts'
import { localPerson } from '../security/person-name.ts'
import type { Policies } from './policies.ts'

/** What is there in place of a file that is not. */
const nothing = 'none'

/** What the rules are now: as text, and as far as they are understood. */
export interface PolicyState {
  readonly text: string | undefined
  readonly policies: Policies
  readonly problem: string | undefined
}

/**
 * Enters in the audit log that the rules are others than before, also if they were changed while no server ran. Only the
 * user of the machine can write their file. Never rejects.
 */
export function policyAudit(
  ledger: Pick<Ledger, 'append' | 'marks' | 'audit'>,
  file: string,
  log: Log,
): (state: PolicyState) => Promise<void> {
  // Machines that share a ledger have rules of their own each.
  const mark = `server/noted-policies/${hashOf(`${hostname()} ${file}`)}`
  let noted: string | undefined
  let work = Promise.resolve()
  const enter = async ({ text, policies, problem }: PolicyState): Promise<void> => {
    const digest = text === undefined ? nothing : hashOf(text)
    if (digest === noted) return
    const before = (await ledger.marks(mark)).get(mark) ?? nothing
    noted = digest
    if (before === digest) return
    const detail = problem === undefined ? { rules: policies.rules } : { problem }
    await ledger.audit.append({ what: 'policy', who: `${localPerson()}, policies.json`, detail })
    await ledger.append([], { marks: { [mark]: digest } })
  }
  return (state) => {
    work = work
      .then(() => enter(state))
      .catch((error: unknown) => log('error', 'New rules could not be noted', { error: String(error) }))
    return work
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
