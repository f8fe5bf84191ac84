import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Ledger } from '@remora/ledger'
import type { Log } from '../core/log.ts'
import { getLocalPerson } from '../security/people.ts'
import type { Policies } from './policies.ts'

/** The digest of a missing file. */
const nothing = 'none'

/** The current rules: as text, and parsed. */
export interface PolicyState {
  readonly text: string | undefined
  readonly policies: Policies
  readonly problem: string | undefined
}

/**
 * Records changed rules in the audit log, also if they changed while no server was running. Only the user of the machine
 * can write their file. Never rejects.
 */
export function policyAudit(
  ledger: Pick<Ledger, 'append' | 'marks' | 'audit'>,
  file: string,
  log: Log,
): (state: PolicyState) => Promise<void> {
  // Each machine of a shared ledger has its own rules.
  const mark = `server/noted-policies/${hashText(`${hostname()} ${file}`)}`
  let noted: string | undefined
  let work = Promise.resolve()
  const enter = async ({ text, policies, problem }: PolicyState): Promise<void> => {
    const digest = text === undefined ? nothing : hashText(text)
    if (digest === noted) return
    const before = (await ledger.marks(mark)).get(mark) ?? nothing
    noted = digest
    if (before === digest) return
    const detail = problem === undefined ? { rules: policies.rules } : { problem }
    await ledger.audit.append({ what: 'policy', who: `${getLocalPerson()}, policies.json`, detail })
    await ledger.append([], { marks: { [mark]: digest } })
  }
  return (state) => {
    work = work
      .then(() => enter(state))
      .catch((error: unknown) =>
        log('error', 'Cannot record changed rules in the audit log', { error: String(error) }),
      )
    return work
  }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
