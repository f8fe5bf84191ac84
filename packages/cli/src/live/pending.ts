import { createHash } from 'node:crypto'
import { isWaitedFor } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, type AskOption, formatMarked } from '@remora/protocol/plain'
import { oneLine } from '../output/one-line.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** An ask that has no answer yet. */
export interface Pending extends SessionKey {
  readonly ask: Ask
  /** A short number, unique among all open asks. */
  readonly number: string
  /** Whether a process still waits for the answer. */
  readonly waited: boolean
  /** When it was asked, if known. */
  readonly since?: number
}

const shortest = 4

/** All open asks, oldest first. */
export async function pendingAsks(ledger: Ledger, key?: SessionKey): Promise<Pending[]> {
  // Numbers are unique among all asks, not only the listed ones.
  const all = await ledger.asks.pending()
  const numbers = shortNumbers(all)
  const wanted = all
    .map((each, index) => ({ ...each, number: numbers[index]! }))
    .filter(({ agent, session }) => !key || (agent === key.agent && session === key.session))
  return Promise.all(
    wanted.map(async (each) => {
      const since = await askedAt(ledger, each, each.ask.id)
      const waited = await isWaitedFor(ledger, each.ask.id)
      return { ...each, waited, ...(since === undefined ? {} : { since }) }
    }),
  )
}

/**
 * Derived from the ask and not from its position in the list, which may change while the user types.
 */
export function getAskNumber({ agent, session, ask }: SessionKey & { readonly ask: Ask }): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([agent, session, ask.id, ask.digest]))
    .digest()
  return String(digest.readUIntBE(0, 6)).padStart(15, '0')
}

function shortNumbers(asks: readonly (SessionKey & { readonly ask: Ask })[]): string[] {
  const whole = asks.map(getAskNumber)
  return whole.map((number) => {
    let length = shortest
    // Taken from the end, where all digits are equally likely.
    while (
      whole.filter((other) => other.endsWith(number.slice(-length))).length > 1 &&
      length < number.length
    )
      length++
    return number.slice(-length)
  })
}

async function askedAt(ledger: Ledger, session: SessionKey, id: string): Promise<number | undefined> {
  for await (const { event } of askEvents(ledger, session)) if (event.ask.id === id) return event.at
  return undefined
}

/** All asks of a session. */
export async function* askEvents(ledger: Ledger, { agent, session }: SessionKey) {
  const key = { agent, session }
  for (
    let page = await ledger.read({ session: key });
    page.events.length > 0;
    page = await ledger.read({ session: key, after: page.cursor })
  )
    for (const { event } of page.events) if (event.type === 'ask') yield { event }
}

/** Formats an answer. @example formatAnswer(ask, answer) // 'Allow (by a person, editor)' */
export function formatAnswer(
  { options }: Ask,
  { option, text, inferred, by, person, device }: Answer,
): string {
  const outcome = inferred && `${inferred === 'allow' ? 'allowed' : 'denied'} (inferred)`
  const label = options.find(({ id }) => id === option)?.label ?? option ?? outcome
  const what = label ?? (text === undefined ? 'withdrawn' : `"${oneLine(text, 80)}"`)
  const who = {
    person: person ?? 'a person',
    terminal: 'its own terminal',
    policy: 'a rule',
    timeout: 'timeout',
    cancel: '',
  }
  const giver = [who[by], device].filter(Boolean).join(', ')
  return `${oneLine(what, 100)}${giver === '' ? '' : ` (by ${giver})`}`
}

/** Formats the options, with what to type for each. @example ['1. proceed_once · Allow · allow'] */
export function formatOptions({ options }: Ask): string[] {
  return options.map((option, index) => `${index + 1}. ${formatOption(option)}`)
}

function formatOption({ id, label, effect }: AskOption): string {
  const meaning = {
    allow: 'allow',
    allow_always: 'always',
    deny: 'deny',
    deny_always: 'deny always',
    other: '',
  }
  // Skipped if the id already says it.
  const means = meaning[effect] === id ? '' : meaning[effect]
  const exact = (text: string): string => formatMarked(text, 'line')
  return [exact(id), exact(label), means].filter(Boolean).join(' · ')
}

/** The JSON form of an ask. */
export function toAskJson({ agent, session, ask, number, waited, since }: Pending) {
  const times = { expiresAt: ask.expiresAt ?? null, since: since ?? null }
  return {
    ask: ask.id,
    number,
    agent,
    session,
    kind: ask.kind,
    title: ask.title,
    body: ask.body ?? null,
    toolUse: ask.toolUse ?? null,
    tool: ask.tool ?? null,
    input: ask.input ?? null,
    options: ask.options,
    freeText: ask.freeText === true,
    digest: ask.digest,
    waited,
    ...withIsoTimes(times, 'expiresAt', 'since'),
  }
}
