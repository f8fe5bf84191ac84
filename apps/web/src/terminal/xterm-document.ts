/**
 * A document for xterm that complies with the content security policy. xterm writes style elements and style
 * attributes, which the policy forbids. Here they become constructed style sheets and CSSOM properties, which it
 * allows.
 */
export function createXtermDocument(page: Document = document): Document {
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
