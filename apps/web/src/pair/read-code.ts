const groupLength = 4
const longest = 60

/**
 * Extracts the code from typed or pasted text: the code itself or the whole link. Case and separators do not
 * matter.
 *
 * @example readCode('https://box:4750/#pair=K7QM-2XHD-PB9R') // 'K7QM-2XHD-PB9R'
 */
export function readCode(text: string): string {
  const linked = linkedCode(text) ?? text
  const letters = linked.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return (letters.match(new RegExp(`.{1,${groupLength}}`, 'g')) ?? []).join('-').slice(0, longest)
}

/** The code in a link; undefined if there is none. */
export function linkedCode(text: string): string | undefined {
  const found = /[#&?]pair=([^&\s]+)/.exec(text)?.[1]
  if (found === undefined) return undefined
  try {
    return decodeURIComponent(found)
  } catch {
    return found
  }
}
