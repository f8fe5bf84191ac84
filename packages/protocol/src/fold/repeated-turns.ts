import { getMessageText } from '../model/message-text.ts'
import type { LaneTurn } from './lane.ts'

/**
 * Finds turns that a new list of messages repeats under other ids, each with the earlier turn that it repeats. A CLI that
 * rewrites its whole memory may do so, and leave out refused or cancelled parts. A user may also send the same prompt
 * twice: then the answers differ, or there is none yet.
 */
export function findRepeatedTurns(
  turns: readonly LaneTurn[],
  keep: ReadonlySet<string>,
): Map<LaneTurn, LaneTurn> {
  const repeated = new Map<LaneTurn, LaneTurn>()
  /** Turns that the list leaves out, by their prompt, and how many of them were matched. */
  const dropped = new Map<string, { readonly turns: LaneTurn[]; from: number }>()
  for (const turn of turns) {
    if (turn.prompt === undefined) continue
    const text = getMessageText({ content: turn.prompt.content ?? [] })
    if (text === '') continue
    let earlier = dropped.get(text)
    if (!keep.has(turn.prompt.entity)) {
      if (turn.removed || turn.dropped) continue
      if (!earlier) dropped.set(text, (earlier = { turns: [], from: 0 }))
      earlier.turns.push(turn)
      continue
    }
    const next = earlier?.turns[earlier.from]
    if (!next || !isRepeat(turn, next, keep)) continue
    earlier!.from++
    repeated.set(turn, next)
  }
  return repeated
}

/** Whether another turn contains all texts of a turn, and at least one text or call. */
function isRepeat(turn: LaneTurn, other: LaneTurn, keep: ReadonlySet<string>): boolean {
  const known = new Set(listTexts(other))
  const texts = listTexts(turn)
  if (!texts.every((text) => known.has(text))) return false
  // A call keeps its id, so it is in the other turn; but the list repeats it as a part of another message.
  const calls = other.items.filter(
    (item) => item.kind === 'tool' && item.use?.message !== item.message && keep.has(item.use?.message ?? ''),
  )
  const own = turn.items.some(({ kind }) => kind === 'tool' || kind === 'media')
  return !own && texts.length + calls.length > 0
}

function listTexts({ items }: LaneTurn): string[] {
  return items.flatMap((item) => (item.kind === 'text' ? [item.buffer.toString()] : []))
}
