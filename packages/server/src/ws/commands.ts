import type { SessionKey } from '@remora/ledger'
import { type Answer, type Command, type CommandBody, getMessageText } from '@remora/protocol'
import type { Approvals } from '../core/approvals.ts'
import type { Live } from '../core/live.ts'
import type { Who } from '../security/who.ts'
import { getPromptKind } from '../host/prompt-parts.ts'
import type { Context } from '../core/context.ts'

/** A user's answer to one ask. */
export interface Choice {
  readonly ask: string
  readonly digest: string
  readonly option?: string | undefined
  readonly text?: string | undefined
}

/**
 * Answers an ask for a user. A device that repeats its own answer wins again, since it repeats only when the first
 * acknowledgement was lost.
 */
export async function answerAsk(
  {
    approvals,
    live,
  }: { readonly approvals: Pick<Approvals, 'answer'>; readonly live: Pick<Live, 'restored'> },
  key: SessionKey,
  { ask, digest, option, text }: Choice,
  who: Who,
): Promise<Awaited<ReturnType<Approvals['answer']>>> {
  const given: Answer = {
    ask,
    digest,
    by: 'person',
    person: who.person,
    device: who.label,
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
  }
  // After a restart an ask opens again when its session is restored. A terminal's ask is named `<live id>/ask/…`.
  await live.restored?.(ask.includes('/ask/') ? ask.replace(/\/ask\/.*$/s, '') : key)
  const result = await approvals.answer(key, given)
  const { answer } = result
  const same =
    answer.by === 'person' &&
    answer.device === given.device &&
    answer.digest === digest &&
    answer.option === option &&
    answer.text === text
  return same && who.kind === 'device' ? { ...result, won: true } : result
}

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
  const text = getMessageText(body).slice(0, auditedLength)
  return { detail: { promptKind, text, ...(via === undefined ? {} : { via }) } }
}
