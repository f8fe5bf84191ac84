import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { type SessionKey, mask } from '@remora/ledger'
import { type Ask, type AskOption, type LiveInfo, formatExact, formatRequest } from '@remora/protocol'
import type { Notice } from '@remora/protocol/api'

const titleLength = 80
const nameLength = 40
const bodyLength = 240

/**
 * Creates the notice of an approval request. It has an Allow button only if it shows the request completely, without
 * cuts or masked secrets.
 *
 * @example createAskNotice(key, ask, live, 3)
 */
export function createAskNotice(
  key: SessionKey,
  ask: Ask,
  live: LiveInfo | undefined,
  badge: number,
): Notice {
  const allow = ask.options.find(({ effect }) => effect === 'allow')
  const deny = ask.options.find(({ effect }) => effect === 'deny')
  const action = (name: 'allow' | 'deny', title: string, option: AskOption | undefined) =>
    option === undefined ? [] : [{ action: name, title, option: option.id }]
  const answerable = ask.kind === 'permission' || ask.kind === 'plan'
  const name = shorten(formatSessionName(key, live), nameLength)
  const title = formatExact(mask(ask.title), { layout: 'line', limit: titleLength - name.length - 2 })
  const body = formatRequest(ask, { layout: 'line', limit: bodyLength, redact: mask, withoutTitle: true })
  const complete = title.complete && mask(ask.title) === ask.title && body.complete
  const actions = answerable
    ? [...(complete ? action('allow', 'Allow once', allow) : []), ...action('deny', 'Deny', deny)]
    : []
  return {
    version: 1,
    type: 'ask',
    badge,
    title: `${name}: ${title.text}`,
    body: body.text === '' ? title.text : body.text,
    tag: createAskTag(key, ask.id),
    session: toSessionKey(key),
    ask: { id: ask.id, digest: ask.digest },
    ...(actions.length > 0 ? { actions } : {}),
  }
}

/** @example createStateNotice('done', live, 'All tests pass.', 1) */
export function createStateNotice(
  type: 'done' | 'error',
  live: LiveInfo,
  text: string | undefined,
  badge: number,
): Notice {
  const verb = type === 'done' ? 'finished' : 'failed'
  const body = (type === 'error' ? live.detail : undefined) ?? text ?? basename(live.cwd)
  return {
    version: 1,
    type,
    badge,
    title: shorten(`${formatSessionName(live, live)} ${verb}`, titleLength),
    body: shorten(body, bodyLength),
    tag: createStateTag(live),
    session: toSessionKey(live),
  }
}

/** Updates the number on the app icon, and removes the notices of settled asks. */
export function createBadgeNotice(badge: number, settled: readonly string[]): Notice {
  return {
    version: 1,
    type: 'badge',
    badge,
    ...(settled.length > 0 ? { settled: settled.slice(0, 50) } : {}),
  }
}

export function createAskTag({ agent, session }: SessionKey, ask: string): string {
  return hash(`ask ${agent} ${session} ${ask}`)
}

export function createStateTag({ agent, session }: SessionKey): string {
  return hash(`state ${agent} ${session}`)
}

function formatSessionName({ agent }: SessionKey, live: LiveInfo | undefined): string {
  return live?.title ? `${agent} · ${live.title}` : live ? `${agent} · ${basename(live.cwd)}` : agent
}

/** Masks secrets before cutting, since half a secret is not recognised. */
function shorten(text: string, limit: number): string {
  const line = mask(text.slice(0, 20_000)).replaceAll(/\s+/g, ' ').trim()
  return formatExact(line, { layout: 'line', limit }).text
}

function toSessionKey({ agent, session }: SessionKey): SessionKey {
  return { agent, session }
}

/** Short enough for the `Topic` header, which allows 32 characters of base64url. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24)
}
