import type { Conversation, Entry, Position } from './conversation.ts'

// A compressed history does not show how often the model has answered. So the summary contains the position, which is
// parsed when the summary comes back as the start of the history.

/** A summary that contains the position in the conversation. */
export function createSummary(position: Position): string {
  return `A scripted conversation, at turn ${String(position.prompts.length)} after reply ${String(position.reply)}.`
}

const mark = /A scripted conversation, at turn (\d+) after reply (\d+)\./g

/** The position in a summary. */
export function parseSummary(text: string): { turn: number; reply: number } | undefined {
  const found = [...text.matchAll(mark)].at(-1)
  return found === undefined ? undefined : { turn: Number(found[1]), reply: Number(found[2]) }
}

/** The history to summarize: all but the instruction at its end, which most CLIs send as a user message. */
export function getEntriesToSummarize(conversation: Conversation): Entry[] {
  const { entries } = conversation
  const retold = entries.at(-1)
  // OpenCode sends the history as one text.
  if (retold?.from === 'user' && retold.text.includes('<conversation>'))
    return parseRetoldEntries(retold.text)
  return entries.slice(0, entries.findLastIndex((entry) => entry.from !== 'user') + 1)
}

function parseRetoldEntries(text: string): Entry[] {
  // An earlier summary is outside of the history.
  const before = text.replace(/<conversation>[\s\S]*<\/conversation>/, '')
  const entries: Entry[] = parseSummary(before) === undefined ? [] : [{ from: 'user', text: before }]
  const retold = [...text.matchAll(/^\[(User|Assistant|Tool)[^\]]*\]:([^\n]*)/gm)].map(
    ([, who, content = '']): Entry => {
      if (who === 'User') return { from: 'user', text: content }
      return who === 'Tool' ? { from: 'tool', id: '', content } : { from: 'model', text: content }
    },
  )
  return [...entries, ...retold]
}
