import type { SessionInfo } from '@remora/protocol/api'
import { words } from '../words/index.ts'

/** Titles are cut to this length. */
const longest = 200

/** The name given by the user, else the title of the agent, else the first prompt. */
export function getSessionTitle(
  entry: Pick<SessionInfo, 'name' | 'title' | 'firstPrompt'> | undefined,
  live?: { readonly title?: string | undefined },
): string {
  const titles = [entry?.name, live?.title, entry?.title, entry?.firstPrompt]
  const found = titles.find((text) => text !== undefined && text.trim() !== '')
  return found?.slice(0, longest).replace(/\s+/g, ' ').trim() ?? words.sessions.untitled
}
