import type { Io } from '../command/io.ts'
import { escapeJson, toVisible } from './visible-text.ts'

/** The colours that the command uses. None can hide text. The last two are for QR codes. */
// oxlint-disable-next-line no-control-regex -- it must match the sequences of colors
const ours = /(\u001B\[(?:1|2|22|31|32|33|36|39|97;40|39;49)m)/

/** Keeps the command's own colours and makes other control characters visible. */
export function cleanColoured(text: string): string {
  return text
    .split(ours)
    .map((part, index) => (index % 2 === 1 ? part : toVisible(part)))
    .join('')
}

/**
 * Wraps an `Io` so that no verb can print control or hidden characters, on a terminal or in a pipe. JSON keeps its
 * value.
 *
 * @example const io = guardOutput(world, 'json')
 */
export function guardOutput(io: Io, form: 'text' | 'json' = 'text'): Io {
  let coloured = false
  const clean = (text: string): string => (coloured ? cleanColoured(text) : toVisible(text))
  const guarded: Pick<Io, 'out' | 'err' | 'allowColours' | 'eraseLine' | 'clearScreen'> = {
    out: (text) => io.out(form === 'json' ? escapeJson(text) : clean(text)),
    err: (text) => io.err(clean(text)),
    allowColours: () => void (coloured = true),
    eraseLine: () => io.err('\r\u001B[K'),
    clearScreen: () => io.out('\u001B[H\u001B[2J'),
  }
  // Getters must stay getters: standard input opens on first access.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(io),
      ...Object.getOwnPropertyDescriptors(guarded),
    },
  ) as Io
}
