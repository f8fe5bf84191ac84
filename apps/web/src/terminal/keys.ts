/** A key by its tmux name, or literal text. */
export type Key = { readonly key: string } | { readonly text: string }

const names: Readonly<Record<string, string>> = {
  Enter: 'Enter',
  Escape: 'Escape',
  Tab: 'Tab',
  Backspace: 'BSpace',
  Delete: 'DC',
  Insert: 'IC',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
}
const functionKey = /^F(?:[1-9]|1[0-2])$/
/** The longest text per request. */
const longest = 10_000

export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly metaKey: boolean
  readonly isComposing?: boolean
  getModifierState?(name: string): boolean
}

/**
 * The agent's key for a keyboard event; undefined if the browser handles it.
 *
 * @example toKey(event) // { key: 'C-c' }
 */
export function toKey(event: Pressed): Key | undefined {
  const { key, ctrlKey, altKey, shiftKey, metaKey, isComposing } = event
  // F6 leaves the terminal, as it moves between panes elsewhere.
  if (isComposing || metaKey || key === 'F6') return undefined
  const name = names[key] ?? (functionKey.test(key) ? key : undefined)
  if (name !== undefined) {
    if (name === 'Tab' && shiftKey) return { key: 'BTab' }
    // Few terminals distinguish Shift+Enter. All agents accept this for a new line.
    if (name === 'Enter' && shiftKey) return { key: 'C-j' }
    return { key: `${ctrlKey ? 'C-' : ''}${altKey ? 'M-' : ''}${shiftKey ? 'S-' : ''}${name}` }
  }
  const isSign = Array.from(key).length === 1
  if (!isSign) return undefined
  const isThirdLevel = event.getModifierState?.('AltGraph') === true
  if ((!ctrlKey && !altKey) || isThirdLevel) return { text: key }
  // Ctrl+Shift belongs to the browser.
  if (ctrlKey && shiftKey) return undefined
  if (ctrlKey) return control(key, altKey)
  return /^[A-Za-z0-9]$/.test(key) ? { key: `M-${key}` } : { text: key }
}

/** The key with Ctrl. Characters without such a key stay unchanged. @example withControl({ text: 'c' }) // { key: 'C-c' } */
export function withControl(key: Key): Key {
  if ('text' in key) return (key.text.length === 1 ? control(key.text, false) : undefined) ?? key
  return /^(?:C-|BTab|Escape)/.test(key.key) ? key : { key: `C-${key.key}` }
}

/** Splits a text into parts that can be sent. */
export function textKeys(text: string): Key[] {
  const pieces: Key[] = []
  let rest = text
  while (rest !== '') {
    // Does not split a surrogate pair.
    const cut = /[\uD800-\uDBFF]$/.test(rest.slice(0, longest)) ? longest - 1 : longest
    pieces.push({ text: rest.slice(0, cut) })
    rest = rest.slice(cut)
  }
  return pieces
}

function control(character: string, isAlt: boolean): Key | undefined {
  const meta = isAlt ? 'M-' : ''
  if (/^[A-Za-z]$/.test(character)) return { key: `C-${meta}${character.toLowerCase()}` }
  if (character === ' ') return { key: `C-${meta}Space` }
  if (character === '[') return { key: 'Escape' }
  return undefined
}
