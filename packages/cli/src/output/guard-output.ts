import type { Io } from '../command/io.ts'
import { escapeJson, toVisible } from './visible-text.ts'

/** The colours that the command uses, and nothing that could hide text. The last two are for QR codes. */
// oxlint-disable-next-line no-control-regex -- these are the sequences of colours
const ours = /(\u001B\[(?:1|2|22|31|32|33|36|39|97;40|39;49)m)/

/** Text with the command's own colours, and everything else made visible. */
export function cleanColoured(text: string): string {
  return text
    .split(ours)
    .map((part, index) => (index % 2 === 1 ? part : toVisible(part)))
    .join('')
}

/**
 * An `Io` through which no verb can write control characters or hidden ones: everything the command prints passes here,
 * on a terminal and in a pipe. JSON keeps its value.
 *
 * @example const io = guardOutput(world, 'json')
 */
export function guardOutput(io: Io, form: 'text' | 'json' = 'text'): Io {
  let coloured = false
  const clean = (text: string): string => (coloured ? cleanColoured(text) : toVisible(text))
  const guarded: Pick<Io, 'out' | 'err' | 'allowColours' | 'eraseLine'> = {
    out: (text) => io.out(form === 'json' ? escapeJson(text) : clean(text)),
    err: (text) => io.err(clean(text)),
    allowColours: () => void (coloured = true),
    eraseLine: () => io.err('\r\u001B[K'),
  }
  // Some fields are getters, which must stay so: standard input is opened when it is first looked at.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(io),
      ...Object.getOwnPropertyDescriptors(guarded),
    },
  ) as Io
}
