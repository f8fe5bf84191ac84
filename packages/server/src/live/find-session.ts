import type { Ledger, SessionEntry } from '@remora/ledger'
import type { LiveRecord } from './live-record.ts'

/** Clocks of files and of processes differ a little. */
const slackMs = 5_000
/** So much of a prompt tells it from others. */
const enough = 40
/** Shorter last words than these are those of many conversations. */
const telling = 12

/**
 * Which conversation a pane shows, of those that the agent began in its folder since it was started: the one whose first
 * prompt we sent, or is to be seen there. Others may run the same agent in the same folder, so time alone proves nothing.
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
  // What stands under our own id is what we have told: the conversation may be older, if the agent was adopted.
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
  const said = seen.sent.map(squeezed)
  const sent = new Set(said)
  const present = entries.find((entry) => entry.session === session)
  const own = squeezed(present?.firstPrompt ?? '')
  // A copy of this conversation begins with the same words. Only who says them again has begun anew himself.
  const isCopy = ({ firstPrompt }: SessionEntry): boolean =>
    own !== '' && squeezed(firstPrompt ?? '') === own && said.indexOf(own) === said.lastIndexOf(own)
  const fits = ({ firstPrompt }: SessionEntry): boolean => {
    const prompt = squeezed(firstPrompt ?? '')
    return prompt !== '' && (sent.has(prompt) || isShown(prompt, seen.lines))
  }
  const free = entries.filter((entry) => entry.session !== session && !seen.taken.has(entry.session))
  const found = free
    .filter((entry) => entry.startedAt >= since && fits(entry) && !isCopy(entry))
    // After `/clear` the pane may still show the prompt of the conversation before.
    .toSorted((left, right) => right.startedAt - left.startedAt)[0]
  if (!found) return isKnown ? undefined : byLastWords(free, seen.lines)
  return present && present.startedAt > found.startedAt ? undefined : found.session
}

/** Of one that was adopted late the beginning is out of sight, but not its end; if that is one conversation's alone. */
function byLastWords(entries: readonly SessionEntry[], lines: readonly string[]): string | undefined {
  const fitting = entries.filter(({ last }) => {
    const words = squeezed(last?.text ?? '')
    return words.length >= telling && isShown(words, lines)
  })
  return fitting.length === 1 ? fitting[0]!.session : undefined
}

/** What was said has a row of its own. A short text must be all of it: `hi` is a part of many words. */
function isShown(said: string, lines: readonly string[]): boolean {
  const rows = lines.map((line) => squeezed(line).replace(/^[>❯›!✦●⏺•]+/, ''))
  return rows.some((row, index) =>
    said.length < enough
      ? row === said
      : row !== '' && rows.slice(index).join('').startsWith(said.slice(0, enough)),
  )
}

/** Without the breaks that a terminal puts into it, and the signs of Markdown that it does not show. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s│┃▌*`]+/g, '')
}
