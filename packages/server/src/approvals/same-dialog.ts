import { type DialogText, getText } from './join-ask.ts'

interface Shown extends DialogText {
  readonly kind: string
  readonly options: readonly { readonly id: string; readonly label: string }[]
}

/** Less than this in common may be chance. */
const enough = 20

/**
 * Whether two readings of a screen show the same dialog: redrawn in another width, scrolled, or with rows that were missing
 * before. A request with other text is another dialog.
 *
 * @example isSameDialog(open.shown, now.ask)
 */
export function isSameDialog(one: Shown, other: Shown): boolean {
  if (one.kind !== other.kind || !hasSameOptions(one, other)) return false
  const [texts, others] = [toRows(one), toRows(other)]
  const [text, otherText] = [texts.join(''), others.join('')]
  if (text === otherText) return true
  const [shorter, longer] = text.length < otherText.length ? [texts, others] : [others, texts]
  const [part, whole] = [shorter.join(''), longer.join('')]
  return (part.length >= enough && whole.endsWith(part)) || isSubsequence(shorter, longer)
}

function hasSameOptions({ options: ones }: Shown, { options: others }: Shown): boolean {
  const ids = (options: Shown['options']): string => options.map(({ id }) => id).join(' ')
  return ids(ones) === ids(others)
}

/** Rows without blanks and frames, the title and the body alone. */
function toRows({ title, body }: Shown): string[] {
  return getText({ title, body })
    .split('\n')
    .map((row) => row.replaceAll(/[\s─-╿▀-▟]+/gu, ''))
    .filter((row) => row !== '')
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0
  for (const row of whole) if (row === part[found]) found++
  return part.length > 0 && found === part.length
}
