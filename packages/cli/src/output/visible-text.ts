import { stripVTControlCharacters } from 'node:util'

// Agents print text from anywhere, so it must not control the terminal or look like something else.
//
// Marked as ⟨U+202E⟩: control characters except tabs and line ends, characters that change the direction of text, and
// invisible characters. Kept, because ordinary text needs them: combining marks, variation selectors, joiners
// between characters that are not ASCII (emoji families, Persian, Hindi), and the tags of flags such as 🏴󠁧󠁢󠁥󠁮󠁧󠁿.

const controls = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`
const directions = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`
const invisible = String.raw`\u00AD\u115F\u1160\u17B4\u17B5\u180E\u200B\u2028\u2029\u2060-\u2065\u206A-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}`
/** Joiners next to an ASCII character only hide something. */
const joiners = String.raw`(?<=[\u0000-\u007F])[\u200C\u200D]|[\u200C\u200D](?=[\u0000-\u007F])`
const hidden = `[${controls}${directions}${invisible}]|${joiners}`

const flag = String.raw`\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}`
const flagsAndHidden = new RegExp(`${flag}|${hidden}`, 'gu')
const onlyHidden = new RegExp(`${hidden}|[\u200C\u200D]`, 'gu')
/** Nearly all text is plain and takes this fast path. */
const plain = /^[\n\t\u0020-\u007E]*$/

/**
 * Removes terminal control sequences and marks hidden characters.
 *
 * @example toVisible('a\u202Eb') // 'a⟨U+202E⟩b'
 */
export function toVisible(text: string): string {
  if (plain.test(text)) return text
  return stripVTControlCharacters(text)
    .replaceAll(/\r(?!\n)/g, '\n')
    .replaceAll(flagsAndHidden, (found) => (found.startsWith('\u{1F3F4}') ? found : mark(found)))
}

/**
 * Escapes hidden characters in JSON. It still parses to the same value.
 *
 * @example escapeJson('"\u202E"') // '"\\u202e"'
 */
export function escapeJson(json: string): string {
  if (plain.test(json)) return json
  return json.replaceAll(onlyHidden, (found) =>
    Array.from({ length: found.length }, (_, index) => escapeUnit(found.charCodeAt(index))).join(''),
  )
}

function mark(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
