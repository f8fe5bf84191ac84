// `npm run api`: writes packages/*/api.md, one line for each symbol that a package exports.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { bin, cache, packages, root } from './lib/paths.mjs'

/** A longer signature is cut and ends with a digest of the rest, so that the report changes with it. */
const longest = 300

/** The exported symbols of every package, read from declarations that the compiler emits for this purpose. */
export async function readApi() {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'api-'))
  try {
    await emitDeclarations(folder)
    return packages()
      .map((each) => ({ ...each, entries: listEntries(each) }))
      .filter(({ entries }) => entries.length > 0)
      .map(({ folder: home, manifest, entries }) => ({
        name: manifest.name,
        file: join(home, 'api.md'),
        entries: entries.map(({ name, source }) => {
          const declarations = join(folder, relative(root, source)).replace(/\.ts$/, '.d.ts')
          return { name, symbols: sortByName(readExports(declarations, new Map())) }
        }),
      }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The text of a package's api.md. A symbol that an earlier entry point has with the same signature is only named. */
export function formatApi({ name, entries }) {
  const earlier = new Set()
  const parts = entries.map(({ name: entry, symbols }) => {
    const repeated = symbols.filter((symbol) => earlier.has(identify(symbol)))
    const fresh = symbols.filter((symbol) => !repeated.includes(symbol))
    for (const symbol of fresh) earlier.add(identify(symbol))
    const lines = fresh.flatMap(({ signatures }) => signatures.map(shorten))
    const block = lines.length > 0 ? `\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n` : ''
    const names = repeated.map((symbol) => `\`${symbol.name}\``).join(', ')
    return `## ${entry}\n${block}${names === '' ? '' : `\nAs above: ${names}\n`}`
  })
  return `# API of ${name}\n\nWritten by \`npm run api\`. A cut signature ends with a digest of the whole.\n\n${parts.join('\n')}`
}

function identify({ name, signatures }) {
  return [name, ...signatures].join('\n')
}

/** The exported symbols without a comment, and the functions without an example. Internal entry points need none. */
export function listUndocumented({ entries }) {
  const symbols = entries
    .filter(({ name }) => !name.endsWith('/internal'))
    .flatMap(({ symbols: exported }) => exported)
  const missing = symbols.flatMap(({ name, doc, signatures }) => {
    if (doc === '') return [`${name} has no comment`]
    const isFunction = signatures.some((signature) => signature.startsWith('function '))
    return isFunction && !doc.includes('@example') ? [`${name} has no @example`] : []
  })
  return [...new Set(missing)]
}

/** Every entry point in `exports` of a package and the source that it is built from. */
function listEntries({ folder, manifest: { name, exports = {} } }) {
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([entry, target]) => ({
      name: join(name, entry),
      source: join(folder, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
    }))
}

/** Emits the declarations below `folder`, from the sources alone, so that no build is needed. */
async function emitDeclarations(folder) {
  const entries = packages().flatMap(listEntries)
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      rootDir: root,
      outDir: folder,
      emitDeclarationOnly: true,
      composite: false,
      declarationMap: false,
      sourceMap: false,
      paths: {
        '@xterm/xterm': [join(root, 'node_modules/@xterm/headless')],
        ...Object.fromEntries(entries.map(({ name, source }) => [name, [source]])),
      },
    },
    files: entries.map(({ source }) => source),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await promisify(execFile)(process.execPath, [bin('typescript', 'tsc'), '-p', folder]).catch((error) => {
    throw new Error(`The declarations could not be emitted:\n${error.stdout || error.message}`)
  })
}

/** What a declaration file exports, as a map from names to signatures and comments. */
function readExports(file, cached) {
  if (cached.has(file)) return cached.get(file)
  const exported = new Map()
  cached.set(file, exported)
  const statements = splitStatements(readFileSync(file, 'utf8'))
  const imported = new Map()
  for (const { text } of statements) {
    const [, names, from] =
      /^import (?:type )?\{([^}]*)\} from '([^']+)'/.exec(text.replaceAll('"', "'")) ?? []
    for (const { name, alias } of parseNames(names)) imported.set(alias, { name, from })
  }
  for (const { text, doc } of statements) {
    const list = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/.exec(text.replaceAll('"', "'"))
    const all = /^export (?:type )?\* from '([^']+)'/.exec(text.replaceAll('"', "'"))
    const declared =
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function|const|let|class|interface|type) ([\w$]+)/.exec(
        text,
      )
    if (declared) add(exported, declared[1], { doc, signatures: [toSignature(text)] })
    else if (all) for (const [name, symbol] of resolve(all[1])) add(exported, name, symbol)
    else if (list)
      for (const { name, alias } of parseNames(list[1])) {
        const source = list[2] === undefined ? imported.get(name) : { name, from: list[2] }
        if (source === undefined) add(exported, alias, findLocal(statements, name))
        else if (source.from.startsWith('.')) add(exported, alias, resolve(source.from).get(source.name))
        else add(exported, alias, { doc: 'elsewhere', signatures: [`${alias} is from ${source.from}`] })
      }
  }
  return exported

  function resolve(path) {
    return readExports(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')), cached)
  }
}

function findLocal(statements, name) {
  const found = statements.filter(({ text }) =>
    new RegExp(
      String.raw`^(?:declare )?(?:abstract )?(?:function|const|let|class|interface|type) ${name}\b`,
    ).test(text),
  )
  return { doc: found.map(({ doc }) => doc).join(''), signatures: found.map(({ text }) => toSignature(text)) }
}

/** Overloads, and a type with the same name as its schema, are one symbol with several signatures. */
function add(exported, name, symbol) {
  if (symbol === undefined) throw new Error(`The declaration of ${name} was not found`)
  const known = exported.get(name)
  if (known === undefined) exported.set(name, { ...symbol })
  else {
    known.doc += symbol.doc
    known.signatures = [...new Set([...known.signatures, ...symbol.signatures])]
  }
}

/** `A, type B as C` as pairs of names. */
function parseNames(list = '') {
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [name, alias = name] = each.split(' as ')
      return { name, alias }
    })
}

/** Top-level statements with the comment before each. The compiler indents everything inside a statement. */
function splitStatements(source) {
  const statements = []
  let doc = ''
  for (const part of source.split(/\n(?=[^\s})\]*])/)) {
    if (part.startsWith('/**')) {
      const end = part.indexOf('*/') + 2
      doc = part.slice(0, end)
      if (part.slice(end).trim() === '') continue
    }
    const text = part.startsWith('/**') ? part.slice(part.indexOf('*/') + 2).trim() : part.trim()
    statements.push({ text, doc })
    doc = ''
  }
  return statements
}

/** One line without comments, private members and redundant modifiers. */
function toSignature(text) {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^ +(?:#private|private [^;]*);\n/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:export )?(?:declare )?/, '')
    .replace(/;$/, '')
    .trim()
}

function shorten(signature) {
  if (signature.length <= longest) return signature
  const digest = createHash('sha256').update(signature).digest('hex').slice(0, 8)
  return `${signature.slice(0, longest)}… #${digest}`
}

function sortByName(exported) {
  return [...exported]
    .map(([name, symbol]) => ({ name, ...symbol }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

if (process.argv[1] === import.meta.filename)
  for (const each of await readApi()) {
    writeFileSync(each.file, formatApi(each))
    const missing = listUndocumented(each)
    if (missing.length > 0) console.log(`${missing.join('\n')}\n${each.name}: ${missing.length} undocumented`)
  }
