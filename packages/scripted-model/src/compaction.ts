import type { Conversation, Entry, Place } from './conversation.ts'

// A CLI that compresses its history forgets how often the model has answered. So the summary itself remembers it: the place
// is written into its text, and read from there when the summary comes back as the start of the history.

/** A summary that says where the conversation stood. */
export function summaryAt(place: Place): string {
  return `A scripted conversation, at turn ${String(place.prompts.length)} after reply ${String(place.reply)}.`
}

const mark = /A scripted conversation, at turn (\d+) after reply (\d+)\./g

/** The place that a summary in the history tells of. */
export function rememberedPlace(text: string): { turn: number; reply: number } | undefined {
  const found = [...text.matchAll(mark)].at(-1)
  return found === undefined ? undefined : { turn: Number(found[1]), reply: Number(found[2]) }
}

/** The history that is to be summed up: all but the instruction at its end, which most CLIs send as a person's words. */
export function entriesToSum(conversation: Conversation): Entry[] {
  const { entries } = conversation
  const retold = entries.at(-1)
  // OpenCode retells the history in one text.
  if (retold?.from === 'user' && retold.text.includes('<conversation>')) return retoldEntries(retold.text)
  return entries.slice(0, entries.findLastIndex((entry) => entry.from !== 'user') + 1)
}

function retoldEntries(text: string): Entry[] {
  // Outside of the history stands the summary before, if there was one.
  const before = text.replace(/<conversation>[\s\S]*<\/conversation>/, '')
  const entries: Entry[] = rememberedPlace(before) === undefined ? [] : [{ from: 'user', text: before }]
  const retold = [...text.matchAll(/^\[(User|Assistant|Tool)[^\]]*\]:([^\n]*)/gm)].map(
    ([, who, words = '']): Entry => {
      if (who === 'User') return { from: 'user', text: words }
      return who === 'Tool' ? { from: 'tool', id: '', content: words } : { from: 'model', text: words }
    },
  )
  return [...entries, ...retold]
}
