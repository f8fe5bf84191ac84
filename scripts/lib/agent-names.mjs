// Finds the names of agents in product code, which only the folder of each agent may know.
import { parseAst } from 'rolldown/parseAst'

/**
 * Finds names of agents in a source file: in strings, templates, regular expressions, JSX text, identifiers and keys, or
 * anywhere in a style sheet. Comments may name agents.
 *
 * @example findAgentNames('a.ts', 'const isGemini = true', ['gemini']) // [{ line: 1, name: 'gemini', text: 'isGemini' }]
 */
export function findAgentNames(file, source, names) {
  // Most files contain none, and parsing takes longest.
  if (!names.some((name) => (isWord(name) ? source.toLowerCase().includes(name) : hasName(source, name))))
    return []
  const texts = file.endsWith('.css') ? listCssTexts(source) : listTexts(file, source)
  return texts.flatMap(({ text, start }) => {
    const name = names.find((each) => hasName(text, each))
    if (name === undefined) return []
    return [{ line: source.slice(0, start).split('\n').length, name, text }]
  })
}

/** Longer names are found in identifiers too. A short one such as `pi` would be found in too many. */
function isWord(name) {
  return /^[a-z]{3,}$/.test(name)
}

function hasName(text, name) {
  if (isWord(name)) return listWords(text).includes(name)
  const escaped = name.replaceAll(/[^\w]/g, String.raw`\$&`)
  const capitalized = `${escaped[0].toUpperCase()}${escaped.slice(1)}`
  return new RegExp(String.raw`(?<![\w-])(?:${escaped}|${capitalized})(?![\w-])`).test(text)
}

/** The words of a text, with those of its identifiers and their neighbors: OpenCode is `open`, `code` and `opencode`. */
function listWords(text) {
  return [...text.matchAll(/[a-z\d]+/gi)].flatMap(([identifier]) => {
    const words = identifier
      .split(/(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[A-Z][a-z]|\d)|(?<=\d)(?=[A-Za-z])/)
      .map((word) => word.toLowerCase())
    return [identifier.toLowerCase(), ...words, ...words.slice(1).map((word, index) => words[index] + word)]
  })
}

/** Every piece of text that a program or a user can see, with its position. */
function listTexts(file, source) {
  // By position, because an import and a shorthand property are two identifiers in one place.
  const found = new Map()
  walk(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file))
  return [...found].map(([start, text]) => ({ text, start }))

  function walk(node) {
    if (Array.isArray(node)) return node.forEach(walk)
    if (typeof node?.type !== 'string') return undefined
    const text = getText(node)
    if (typeof text === 'string') found.set(node.start, text)
    return Object.values(node).forEach(walk)
  }
}

function getText(node) {
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier':
    case 'PrivateIdentifier':
      return node.name
    case 'Literal':
      return node.regex?.pattern ?? node.value
    case 'JSXText':
      return node.value
    case 'TemplateElement':
      return node.value.cooked ?? node.value.raw
    default:
      return undefined
  }
}

function listCssTexts(source) {
  const code = source.replaceAll(/\/\*[^]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
  return [...code.matchAll(/[^\s{};]+/g)].map(({ 0: text, index }) => ({ text, start: index }))
}
