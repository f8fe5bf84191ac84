import type { SessionInfo } from '@remora/protocol/api'
import { words } from '../words/index.ts'

/** A title is one line, whatever an agent makes of it. */
const longest = 200

/** What a session is called: by a person, else by its agent, else by what was asked first. */
export function getSessionTitle(
  entry: Pick<SessionInfo, 'name' | 'title' | 'firstPrompt'> | undefined,
  live?: { readonly title?: string | undefined },
): string {
  const titles = [entry?.name, live?.title, entry?.title, entry?.firstPrompt]
  const found = titles.find((text) => text !== undefined && text.trim() !== '')
  return found?.slice(0, longest).replace(/\s+/g, ' ').trim() ?? words.sessions.untitled
}
