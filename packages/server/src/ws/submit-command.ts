import { getPromptKind } from '../host/prompt-parts.ts'
import type { Command, CommandBody } from '@remora/protocol'
import { textOf } from '@remora/protocol'
import type { Context } from '../core/context.ts'
import type { Who } from '../security/who.ts'

/** How much of a prompt the audit log keeps. */
const auditedLength = 4_000

/** Submits a command for a user. A repeated command is stored and audited once. */
export async function submitCommand(
  { live, ledger }: Pick<Context, 'live' | 'ledger'>,
  command: Pick<Command, 'id' | 'target' | 'body'>,
  who: Who,
): Promise<Command> {
  const began = Date.now()
  const stored = await live.submit({ ...command, client: who.client })
  // An earlier command with this id is already in the audit log.
  if (stored.at >= began && stored.state !== 'refused') await auditCommand({ ledger }, stored, who)
  return stored
}

/** Audits commands that control an agent: mode, end, its own slash commands, and prompts of other agents. */
export async function auditCommand(
  { ledger }: Pick<Context, 'ledger'>,
  { target, body }: Pick<Command, 'target' | 'body'>,
  who: Who,
): Promise<void> {
  const detail = getAuditDetail(body, who)
  if (detail) await ledger.audit.append({ what: body.kind, who: who.signature, ...target, ...detail })
}

function getAuditDetail(body: CommandBody, { via }: Who): { detail?: unknown } | undefined {
  if (body.kind === 'mode') return { detail: { mode: body.mode } }
  if (body.kind === 'end') return {}
  if (body.kind !== 'prompt') return undefined
  const promptKind = getPromptKind(body)
  if (promptKind === 'text' && via === undefined) return undefined
  const text = textOf(body).slice(0, auditedLength)
  return { detail: { promptKind, text, ...(via === undefined ? {} : { via }) } }
}
