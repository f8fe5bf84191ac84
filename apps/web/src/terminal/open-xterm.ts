import { Terminal } from '@xterm/xterm'
import { createXtermDocument } from './xterm-document.ts'
import { terminalTheme } from './terminal-theme.ts'
import './xterm.css'

/** The part of xterm that uses the page's document instead of the given one. */
interface Inside {
  readonly _core?: {
    readonly _renderService?: {
      readonly _renderer?: { readonly value?: { readonly _rowFactory?: { _document: Document } } }
    }
  }
}

/** A read-only emulator; keys are sent separately. @example const terminal = openXterm(element, { fontFamily }) */
export function openXterm(place: HTMLElement, { fontFamily }: { readonly fontFamily: string }): Terminal {
  const page = createXtermDocument()
  const terminal = new Terminal({
    documentOverride: page,
    disableStdin: true,
    scrollback: 0,
    fontFamily,
    // Agents choose colours for another background.
    minimumContrastRatio: 4.5,
    cursorInactiveStyle: 'outline',
    theme: terminalTheme(),
  })
  terminal.attachCustomKeyEventHandler(() => false)
  terminal.attachCustomWheelEventHandler(() => false)
  terminal.open(place)
  // Keyboard events are handled outside, so the hidden text area is no tab stop.
  if (terminal.textarea) terminal.textarea.tabIndex = -1
  const rows = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory
  if (rows) rows._document = page
  return terminal
}
