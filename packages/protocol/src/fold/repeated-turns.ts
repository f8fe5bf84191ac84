import { textOf } from '../text-of.ts'
import type { LaneTurn } from './lane.ts'

/**
 * Turns that a new list of messages tells again under other ids, each with the earlier one that it repeats. A CLI that
 * writes its whole memory anew may do so, and leave out what was refused or cancelled. A person may also say the same
 * twice: then the answers differ, or there is none yet.
 */
export function repeatedTurns(
  turns: readonly LaneTurn[],
  keep: ReadonlySet<string>,
): Map<LaneTurn, LaneTurn> {
  const repeated = new Map<LaneTurn, LaneTurn>()
  /** Turns that the list leaves out, by their words, and how many of these were looked at. */
  const dropped = new Map<string, { readonly turns: LaneTurn[]; from: number }>()
  for (const turn of turns) {
    if (turn.prompt === undefined) continue
    const words = textOf({ content: turn.prompt.content ?? [] })
    if (words === '') continue
    let earlier = dropped.get(words)
    if (!keep.has(turn.prompt.entity)) {
      if (turn.removed || turn.dropped) continue
      if (!earlier) dropped.set(words, (earlier = { turns: [], from: 0 }))
      earlier.turns.push(turn)
      continue
    }
    const next = earlier?.turns[earlier.from]
    if (!next || !repeats(turn, next, keep)) continue
    earlier!.from++
    repeated.set(turn, next)
  }
  return repeated
}

/** Whether all that a turn says was said in another one, and at least something was. */
function repeats(turn: LaneTurn, other: LaneTurn, keep: ReadonlySet<string>): boolean {
  const said = new Set(textsOf(other))
  const texts = textsOf(turn)
  if (!texts.every((text) => said.has(text))) return false
  // A call keeps its id, so that the other turn has it; but it was told again, as a part of another message.
  const calls = other.items.filter(
    (item) => item.kind === 'tool' && item.use?.message !== item.message && keep.has(item.use?.message ?? ''),
  )
  const own = turn.items.some(({ kind }) => kind === 'tool' || kind === 'media')
  return !own && texts.length + calls.length > 0
}

function textsOf({ items }: LaneTurn): string[] {
  return items.flatMap((item) => (item.kind === 'text' ? [item.buffer.toString()] : []))
}
