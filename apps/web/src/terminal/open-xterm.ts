import { Terminal } from '@xterm/xterm'
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

/**
 * A document for xterm that complies with the content security policy. xterm writes style elements and style
 * attributes, which the policy forbids. Here they become constructed style sheets and CSSOM properties, which it
 * allows.
 */
function createXtermDocument(page: Document = document): Document {
  const createElement = (name: string): HTMLElement => {
    const element = page.createElement(name)
    if (name === 'div') divertStyles(element)
    if (name === 'span') divertStyleAttribute(element)
    return element
  }
  return new Proxy(page, {
    get(target, name) {
      if (name === 'createElement') return createElement
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Adopts an added style element as a style sheet. */
function divertStyles(element: HTMLElement): void {
  element.appendChild = <T extends Node>(child: T): T => {
    if (child instanceof HTMLStyleElement) adopt(child)
    else Element.prototype.appendChild.call(element, child)
    return child
  }
}

function adopt(style: HTMLStyleElement): void {
  const page = style.ownerDocument
  const sheet = new CSSStyleSheet()
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet]
  Object.defineProperty(style, 'textContent', {
    set(text: string) {
      sheet.replaceSync(text)
    },
  })
  style.remove = () => {
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((each) => each !== sheet)
  }
}

function divertStyleAttribute(element: HTMLElement): void {
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value
    else Element.prototype.setAttribute.call(element, name, value)
  }
}
