import type { ScreenTerminal } from './screen-model.ts'

interface Provider {
  wcwidth(code: number): 0 | 1 | 2
}

/** Emoji are two columns wide, as tmux and agents have it. The emulator's own table is older. */
const emoji = /^\p{Emoji_Presentation}$/u
const version = 'remora'

/** Gives an emulator the widths that agents draw for. */
export function setCharacterWidths(terminal: ScreenTerminal): void {
  const core = (terminal as unknown as { readonly _core?: { readonly unicodeService?: unknown } })._core
  const service = core?.unicodeService as { readonly _activeProvider?: Provider } | undefined
  const before = service?._activeProvider
  if (!before) return
  const known = new Map<number, 0 | 1 | 2>()
  const wcwidth = (code: number): 0 | 1 | 2 => {
    // Below are letters, whose width never changed.
    if (code < 0x231a) return before.wcwidth(code)
    let width = known.get(code)
    if (width === undefined) {
      width = emoji.test(String.fromCodePoint(code)) ? 2 : before.wcwidth(code)
      known.set(code, width)
    }
    return width
  }
  terminal.unicode.register({
    version,
    wcwidth,
    // The bits of xterm: joined to the character before it, then the width.
    charProperties: (code, preceding) => {
      const width = wcwidth(code)
      const widthBefore = preceding === 0 ? 0 : (preceding >> 1) & 3
      const joins = width === 0 && widthBefore > 0
      return ((joins ? Math.max(width, widthBefore) : width) << 1) | (joins ? 1 : 0)
    },
  })
  terminal.unicode.activeVersion = version
}
