import { Terminal } from '@xterm/xterm'
import { createXtermDocument } from './xterm-document.ts'
import { terminalTheme } from './terminal-theme.ts'
import './xterm.css'

/** The one thing that xterm makes with the page's document though it was given another. */
interface Inside {
  readonly _core?: {
    readonly _renderService?: {
      readonly _renderer?: { readonly value?: { readonly _rowFactory?: { _document: Document } } }
    }
  }
}

/** An emulator that only shows: keys go another way. @example const terminal = openXterm(element, { fontFamily }) */
export function openXterm(place: HTMLElement, { fontFamily }: { readonly fontFamily: string }): Terminal {
  const page = createXtermDocument()
  const terminal = new Terminal({
    documentOverride: page,
    disableStdin: true,
    scrollback: 0,
    fontFamily,
    // Agents choose colours for a background that is not ours.
    minimumContrastRatio: 4.5,
    cursorInactiveStyle: 'outline',
    theme: terminalTheme(),
  })
  terminal.attachCustomKeyEventHandler(() => false)
  terminal.attachCustomWheelEventHandler(() => false)
  terminal.open(place)
  // What comes from the keyboard is caught around it; a field that nobody types into needs no place in the order.
  if (terminal.textarea) terminal.textarea.tabIndex = -1
  const rows = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory
  if (rows) rows._document = page
  return terminal
}
