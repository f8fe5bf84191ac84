import { createHash } from 'node:crypto'
import { isWaitedFor } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, type AskOption, formatMarked } from '@remora/protocol/plain'
import { oneLine } from '../output/one-line.ts'

/** An ask that has no answer yet. */
export interface Pending extends SessionKey {
  readonly ask: Ask
  /** A short name for exactly this question: another one never has it at the same time. */
  readonly number: string
  /** Whether somebody is there to hear the answer. */
  readonly waited: boolean
  /** When it was asked, where that is known. */
  readonly since?: number
}

const shortest = 4

/** Everything that waits for a decision, the oldest first. */
export async function pendingAsks(ledger: Ledger, key?: SessionKey): Promise<Pending[]> {
  // Numbers are told apart among all of them, whichever are looked at.
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
 * Made of the question itself, so that it never comes to mean another one: not of the place in a list, from which
 * others vanish while a person types.
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
    // Cut from the end, where all digits are equally likely.
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

/** Every ask that a session ever told of. */
export async function* askEvents(ledger: Ledger, { agent, session }: SessionKey) {
  const key = { agent, session }
  for (
    let page = await ledger.read({ session: key });
    page.events.length > 0;
    page = await ledger.read({ session: key, after: page.cursor })
  )
    for (const { event } of page.events) if (event.type === 'ask') yield { event }
}

/** An answer as one would say it. @example formatAnswer(ask, answer) // 'Allow (by a person, editor)' */
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

/** What a person may type for each option, and what it does. @example ['1. proceed_once · Allow · allow'] */
export function formatOptions({ options }: Ask): string[] {
  return options.map((option, index) => `${index + 1}. ${sayOption(option)}`)
}

function sayOption({ id, label, effect }: AskOption): string {
  const meaning = {
    allow: 'allow',
    allow_always: 'always',
    deny: 'deny',
    deny_always: 'deny always',
    other: '',
  }
  // An id that is the meaning has said it already.
  const means = meaning[effect] === id ? '' : meaning[effect]
  const exact = (text: string): string => formatMarked(text, 'line')
  return [exact(id), exact(label), means].filter(Boolean).join(' · ')
}

/** An ask as programs are told of it. */
export function toAskJson({ agent, session, ask, number, waited, since }: Pending) {
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
    expiresAt: ask.expiresAt ?? null,
    options: ask.options,
    freeText: ask.freeText === true,
    digest: ask.digest,
    since: since ?? null,
    waited,
  }
}
