// `npm run words`: lists uses of words that have a standard term (scripts/words.json). `-- --lower` lowers the ceilings.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, root } from './lib/paths.mjs'

const file = join(root, 'scripts', 'words.json')

/** Folders with files that others wrote or that a command creates. */
const skipped = /^(?:node_modules|dist|program|coverage|fixtures|\.git|\.cache|clis)$/
const checked = /(?:\.(?:ts|tsx|mjs|css|html|md|sh|ya?ml)|^\.oxlintrc\.json|^tsconfig[\w.]*\.json)$/

/** The word list with compiled patterns. */
export function readWords({ words, allowed, ceilings } = readJson(file)) {
  const compiled = Object.entries(words).map(([name, word]) => ({
    name,
    instead: word.instead,
    identifiers: word.identifiers === true,
    pattern: new RegExp(String.raw`\b(?:${word.pattern})\b`, word.identifiers ? 'g' : 'gi'),
    allowed: word.allowed.map((phrase) => new RegExp(String.raw`\b${phrase}\b`, 'gi')),
  }))
  const any = new RegExp(compiled.map(({ pattern }) => pattern.source).join('|'), 'i')
  return { words: compiled, any, allowed, ceilings }
}

/** Every use of a listed word in a text, except inside an allowed phrase. */
export function findWords(text, { words, any }) {
  return text.split('\n').flatMap((line, index) => {
    if (!any.test(line) && !any.test(splitIdentifiers(line))) return []
    return words.flatMap((word) => {
      const rest = word.identifiers ? drop(line, word) : drop(splitIdentifiers(drop(line, word)), word)
      return [...rest.matchAll(word.pattern)].map(([use]) => ({
        line: index + 1,
        word: word.name,
        use,
        instead: word.instead,
        text: line.trim(),
      }))
    })
  })
}

function drop(text, { allowed }) {
  return allowed.reduce((rest, phrase) => rest.replaceAll(phrase, ' '), text)
}

/** The uses in each area of the repository that the allow-list does not cover. */
export function findUses(list = readWords()) {
  const uses = new Map(listAreas().map((area) => [area, []]))
  for (const path of listFiles('')) {
    const allowed = list.allowed.filter((entry) => entry.file === path).map(({ word }) => word)
    const found = [
      ...findWords(toIdentifier(path), list),
      ...findWords(readFileSync(join(root, path), 'utf8'), list),
    ]
    uses
      .get(findArea(path))
      .push(...found.filter(({ word }) => !allowed.includes(word)).map((use) => ({ ...use, file: path })))
  }
  return uses
}

/** Puts a space between the words of an identifier or a file name. */
function splitIdentifiers(line) {
  return line.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/(?<=\w)[-_](?=\w)/g, ' ')
}

/** Writes a kebab-case file name in camelCase, so that it is checked like an identifier. */
function toIdentifier(path) {
  return path.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase())
}

/** A package, another top-level folder, or `.` for the files at the root. */
function findArea(path) {
  const [first, second, third] = path.split('/')
  if (second === undefined) return '.'
  return ['packages', 'apps'].includes(first) && third !== undefined ? `${first}/${second}` : first
}

function listAreas() {
  return [...new Set(listFiles('').map(findArea))]
}

function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : listFiles(path)
    // The API reports repeat what the sources say.
    return checked.test(entry.name) && entry.name !== 'api.md' ? [path] : []
  })
}

if (process.argv[1] === import.meta.filename) {
  const uses = findUses()
  for (const [area, found] of uses) {
    for (const each of found)
      console.log(`${each.file}:${each.line}: ${each.use} (${each.instead}): ${each.text}`)
    if (found.length > 0) console.log(`${area}: ${found.length}`)
  }
  if (process.argv.includes('--lower')) {
    const list = readJson(file)
    for (const [area, ceiling] of Object.entries(list.ceilings)) {
      const count = uses.get(area)?.length ?? 0
      if (count === 0) delete list.ceilings[area]
      else list.ceilings[area] = Math.min(ceiling, count)
    }
    writeFileSync(file, `${JSON.stringify(list, undefined, 2)}\n`)
  }
}
