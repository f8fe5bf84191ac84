import type { Ledger, SessionEntry } from '@remora/ledger'
import type { LiveRecord } from './live-record.ts'

/** Tolerated clock difference between files and processes. */
const slackMs = 5_000
/** This many characters identify a prompt. */
const enough = 40
/** Shorter last messages occur in many conversations. */
const distinctive = 12

/**
 * Finds the conversation that a pane shows, among those that started in its folder since the agent did: its first prompt
 * was sent by us or is on the screen. The same agent may run twice in a folder, so the time alone proves nothing.
 */
export async function findSession(
  ledger: Pick<Ledger, 'sessions' | 'node'>,
  { id, agent, cwd, startedAt, session }: Pick<LiveRecord, 'id' | 'agent' | 'cwd' | 'startedAt' | 'session'>,
  seen: {
    readonly lines: readonly string[]
    readonly sent: readonly string[]
    readonly taken: ReadonlySet<string>
  },
): Promise<string | undefined> {
  const since = startedAt - slackMs
  // Another machine may have a folder of the same name.
  const here = ledger.node === undefined ? {} : { node: ledger.node }
  // Events under the live id are our own. The conversation of an adopted agent may be older.
  const isKnown = session !== id
  const entries = (
    await ledger.sessions({
      agent,
      cwd,
      since,
      limit: 50,
      hidden: true,
      empty: true,
      last: !isKnown,
      ...here,
    })
  ).filter((entry) => entry.session !== id)
  const prompts = seen.sent.map(squeeze)
  const sent = new Set(prompts)
  const present = entries.find((entry) => entry.session === session)
  const own = squeeze(present?.firstPrompt ?? '')
  // A copy of this conversation starts with the same prompt. Only a prompt that was sent twice started a new one.
  const isCopy = ({ firstPrompt }: SessionEntry): boolean =>
    own !== '' && squeeze(firstPrompt ?? '') === own && prompts.indexOf(own) === prompts.lastIndexOf(own)
  const fits = ({ firstPrompt }: SessionEntry): boolean => {
    const prompt = squeeze(firstPrompt ?? '')
    return prompt !== '' && (sent.has(prompt) || isShown(prompt, seen.lines))
  }
  const free = entries.filter((entry) => entry.session !== session && !seen.taken.has(entry.session))
  const found = free
    .filter((entry) => entry.startedAt >= since && fits(entry) && !isCopy(entry))
    // After `/clear` the pane may still show the prompt of the conversation before.
    .toSorted((left, right) => right.startedAt - left.startedAt)[0]
  if (!found) return isKnown ? undefined : findByLastMessage(free, seen.lines)
  return present && present.startedAt > found.startedAt ? undefined : found.session
}

/** An agent that was adopted late shows the end of its conversation. It must match one conversation only. */
function findByLastMessage(entries: readonly SessionEntry[], lines: readonly string[]): string | undefined {
  const fitting = entries.filter(({ last }) => {
    const text = squeeze(last?.text ?? '')
    return text.length >= distinctive && isShown(text, lines)
  })
  return fitting.length === 1 ? fitting[0]!.session : undefined
}

/** A message starts a row. A short one must be the whole row: `hi` is part of many words. */
function isShown(text: string, lines: readonly string[]): boolean {
  const rows = lines.map((line) => squeeze(line).replace(/^[>❯›!✦●⏺•◆]+/, ''))
  return rows.some((row, index) =>
    text.length < enough
      ? row === text
      : row !== '' && rows.slice(index).join('').startsWith(text.slice(0, enough)),
  )
}

/** Removes line breaks of the terminal, a scroll bar, and characters that it does not show. */
function squeeze(text: string): string {
  return text.replaceAll(/[\s│┃▌█*`]+|\uFE0E/g, '')
}
