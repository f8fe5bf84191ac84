import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'
import type { ApprovalChange, Effect } from '../core/approvals.ts'
import { ServerApprovals } from './server-approvals.ts'

export const key = { agent: 'claude', session: 'one' }

export const ask: Ask = {
  id: 'l-1/ask/0',
  kind: 'permission',
  title: 'Run ls?',
  body: 'ls -l',
  tool: 'Bash',
  input: { command: 'ls -l' },
  exact: true,
  options: [
    { id: 'yes', label: 'Yes', effect: 'allow' },
    { id: 'always', label: 'Always', effect: 'allow_always' },
    { id: 'no', label: 'No', effect: 'deny' },
  ],
  digest: 'shown',
}

export const yes: Answer = { ask: ask.id, option: 'yes', by: 'person', device: 'phone', digest: 'shown' }

/** The approvals of a server, its ledger, the same ledger as another process opens it, and the reported changes. */
export class Stage implements AsyncDisposable {
  readonly home: string
  readonly ledger: Ledger
  readonly other: Ledger
  readonly approvals: ServerApprovals
  readonly changes: ApprovalChange[] = []
  readonly logged: string[] = []
  readonly effects: Answer[] = []

  private constructor(home: string, ledger: Ledger, other: Ledger) {
    this.home = home
    this.ledger = ledger
    this.other = other
    this.approvals = new ServerApprovals({
      ledger,
      remoraHome: home,
      log: (_, message) => void this.logged.push(message),
      getCwd: () => home,
    })
    this.approvals.on((change) => this.changes.push(change))
  }

  static async open(): Promise<Stage> {
    const home = mkdtempSync(join(tmpdir(), 'remora-approvals-'))
    const open = () => openLedger({ file: join(home, 'ledger.db') })
    return new Stage(home, await open(), await open())
  }

  readonly effect: Effect = async (answer) => {
    this.effects.push(answer)
    return 'done'
  }

  types(): string[] {
    return this.changes.map(({ type }) => type)
  }

  async events(): Promise<string[]> {
    return (await this.ledger.read()).events.map(({ event }) => event.type)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.approvals.close()
    await this.ledger.close()
    await this.other.close()
    rmSync(this.home, { recursive: true, force: true })
  }
}
