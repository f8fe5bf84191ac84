import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { type SessionKey, mask } from '@remora/ledger'
import { type Ask, type AskOption, type LiveInfo, formatExact, formatRequest } from '@remora/protocol'
import type { Notice } from '@remora/protocol/api'

const titleLength = 80
const nameLength = 40
const bodyLength = 240

/**
 * A notice of a request. It offers to allow only what it shows completely: not where something was cut, or a secret left
 * out.
 *
 * @example askNotice(key, ask, live, 3)
 */
export function askNotice(key: SessionKey, ask: Ask, live: LiveInfo | undefined, badge: number): Notice {
  const allow = ask.options.find(({ effect }) => effect === 'allow')
  const deny = ask.options.find(({ effect }) => effect === 'deny')
  const action = (name: 'allow' | 'deny', title: string, option: AskOption | undefined) =>
    option === undefined ? [] : [{ action: name, title, option: option.id }]
  const answerable = ask.kind === 'permission' || ask.kind === 'plan'
  const name = short(nameOf(key, live), nameLength)
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
    tag: tagOfAsk(key, ask.id),
    session: plain(key),
    ask: { id: ask.id, digest: ask.digest },
    ...(actions.length > 0 ? { actions } : {}),
  }
}

/** @example stateNotice('done', live, 'All tests pass.', 1) */
export function stateNotice(
  type: 'done' | 'error',
  live: LiveInfo,
  words: string | undefined,
  badge: number,
): Notice {
  const said = type === 'done' ? 'finished' : 'failed'
  const body = (type === 'error' ? live.detail : undefined) ?? words ?? basename(live.cwd)
  return {
    version: 1,
    type,
    badge,
    title: short(`${nameOf(live, live)} ${said}`, titleLength),
    body: short(body, bodyLength),
    tag: tagOfState(live),
    session: plain(live),
  }
}

/** Only the number on the icon, and what is over. */
export function badgeNotice(badge: number, settled: readonly string[]): Notice {
  return {
    version: 1,
    type: 'badge',
    badge,
    ...(settled.length > 0 ? { settled: settled.slice(0, 50) } : {}),
  }
}

export function tagOfAsk({ agent, session }: SessionKey, ask: string): string {
  return hash(`ask ${agent} ${session} ${ask}`)
}

export function tagOfState({ agent, session }: SessionKey): string {
  return hash(`state ${agent} ${session}`)
}

function nameOf({ agent }: SessionKey, live: LiveInfo | undefined): string {
  return live?.title ? `${agent} · ${live.title}` : live ? `${agent} · ${basename(live.cwd)}` : agent
}

/** Without secrets, and then cut: a secret that is cut in two would not be known as one. */
function short(text: string, most: number): string {
  const line = mask(text.slice(0, 20_000)).replaceAll(/\s+/g, ' ').trim()
  return formatExact(line, { layout: 'line', limit: most }).text
}

function plain({ agent, session }: SessionKey): SessionKey {
  return { agent, session }
}

/** Of 32 signs of base64url at most, as the header `Topic` wants it. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24)
}
