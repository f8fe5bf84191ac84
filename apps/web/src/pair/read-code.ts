const groupLength = 4
const longest = 60

/**
 * The code in what somebody typed or pasted: the code itself, or the whole link that the computer shows. Letters are
 * grouped as the computer writes them; how they are typed does not matter.
 *
 * @example readCode('https://box:4750/#pair=K7QM-2XHD-PB9R') // 'K7QM-2XHD-PB9R'
 * @example readCode('k7qm 2xhd') // 'K7QM-2XHD'
 */
export function readCode(text: string): string {
  const linked = linkedCode(text) ?? text
  const letters = linked.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return (letters.match(new RegExp(`.{1,${groupLength}}`, 'g')) ?? []).join('-').slice(0, longest)
}

/** The code of a link; undefined where there is none. */
export function linkedCode(text: string): string | undefined {
  const found = /[#&?]pair=([^&\s]+)/.exec(text)?.[1]
  if (found === undefined) return undefined
  try {
    return decodeURIComponent(found)
  } catch {
    return found
  }
}
