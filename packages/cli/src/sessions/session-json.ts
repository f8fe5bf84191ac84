import type { SessionEntry } from '@remora/ledger'

/** The JSON form of a session. Every field is always present. */
export function toSessionJson(entry: SessionEntry) {
  const { session, agent, title, firstPrompt, model, messages, usage, startedAt, updatedAt, cwd } = entry
  return {
    id: session,
    agent,
    title: title ?? null,
    firstPrompt: firstPrompt ?? null,
    model: model ?? null,
    messages,
    tokens: usage,
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    cwd: cwd ?? null,
    archived: entry.archivedAt !== undefined,
    name: entry.name ?? null,
    pinned: entry.pinned,
    hidden: entry.hidden,
    node: entry.node ?? null,
  }
}
