import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../packages/cli/src/args/parse.ts'
import { commonOptions, findVerb } from '../packages/cli/src/command/verb.ts'
import { verbs } from '../packages/cli/src/verbs.ts'
import { readMarkdown, splitCommands } from './lib/markdown.mjs'
import { bin, cache, packages, readJson, root, web } from './lib/paths.mjs'

const packageFolders = [...packages().map(({ folder }) => folder), web, join(root, 'testkit')]
const packageReadmes = packageFolders.map((folder) => join(relative(root, folder), 'README.md'))
const docs = readdirSync(join(root, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md'))
  .map((file) => join('docs', file))
const files = ['README.md', 'CONTRIBUTING.md', ...docs.sort(), ...packageReadmes]
const documents = new Map(
  files
    .filter((file) => existsSync(join(root, file)))
    .map((file) => [file, readMarkdown(readFileSync(join(root, file), 'utf8'))]),
)
const npmScripts = readJson(join(root, 'package.json')).scripts

/** Commands of npm itself. */
const npmCommands = new Set(['ci', 'exec', 'install', 'pack', 'publish'])

/** Paths that a build or a run creates. */
const generatedPath = /(?:^|\/)(?:dist|program|node_modules|\.cache)(?:\/|$)/

describe('documentation', () => {
  it('has a README for every package', () => {
    expect(packageReadmes.filter((file) => !documents.has(file))).toEqual([])
  })

  it('links every document from the index', () => {
    const index = documents.get('docs/README.md').links.map((target) => join('docs', target))
    expect(docs.filter((file) => file !== 'docs/README.md' && !index.includes(file))).toEqual([])
  })

  describe.each([...documents.keys()])('%s', (file) => {
    const { anchors, links, code, blocks, text } = documents.get(file)

    it('links only to files and headings that exist', () => {
      const broken = links.filter((link) => {
        if (/^[a-z]+:/.test(link)) return false
        const [path, anchor] = link.split('#')
        const target = path ? relative(root, resolve(root, dirname(file), path)) : file
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && !documents.get(target)?.anchors.has(anchor)
      })
      expect(broken).toEqual([])
      expect(anchors.size).toBeGreaterThan(0)
    })

    it('names only paths that exist', () => {
      const paths = code.filter((each) =>
        /^(?:packages|apps|testkit|scripts|docs|examples|bench)\/[\w./-]+$/.test(each),
      )
      expect(paths.filter((path) => !generatedPath.test(path) && !existsSync(join(root, path)))).toEqual([])
    })

    it('names only npm scripts that exist', () => {
      const everything = [...code, ...blocks.map((block) => block.text)].join('\n')
      const names = [...everything.matchAll(/\bnpm (?:(run) )?([a-z][\w:-]*)/g)].filter(([, run, name]) =>
        run ? !(name in npmScripts) : !(name in npmScripts) && !npmCommands.has(name),
      )
      expect(names.map(([found]) => found)).toEqual([])
    })

    it('shows only remora commands that the command accepts', async () => {
      const wrong = []
      for (const block of blocks.filter(({ language }) => language === 'sh'))
        for (const words of splitCommands(block.text)) {
          const [first = 'serve', ...rest] = words
          try {
            const { verb, args } = await findVerb(verbs, first, rest)
            parse(verb, args)
          } catch (error) {
            wrong.push(`remora ${words.join(' ')}: ${error.message}`)
          }
        }
      expect(wrong).toEqual([])
    })

    it('names only verbs and options of remora that exist', async () => {
      const wrong = []
      for (const each of code.filter((piece) => /^(?:npx )?remora [a-z]/.test(piece))) {
        const [, name, ...words] = each.replace(/^npx /, '').split(/\s+/)
        const verb = await findVerb(verbs, name, words).then(
          (found) => found.verb,
          () => undefined,
        )
        const end = words.includes('--') ? words.indexOf('--') : words.length
        const options = words.slice(0, end).flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? [])
        if (!verb || options.some((option) => !(option in { ...verb.options, ...commonOptions })))
          wrong.push(each)
      }
      expect(wrong).toEqual([])
    })

    it('gives every code block a language', () => {
      expect(blocks.filter(({ language }) => language === '').map((block) => block.text)).toEqual([])
      expect(text.split('\n').filter((line, i, all) => /^ {4,}\S/.test(line) && all[i - 1] === '')).toEqual(
        [],
      )
    })
  })
})

describe('TypeScript snippets and examples', () => {
  let folder

  beforeAll(() => {
    mkdirSync(cache, { recursive: true })
    folder = mkdtempSync(join(cache, 'docs-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('compile', async () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: {
          noEmit: true,
          composite: false,
          declaration: false,
          declarationMap: false,
          rewriteRelativeImportExtensions: false,
          paths: { '@xterm/xterm': [join(root, 'node_modules/@xterm/headless')], ...listSourcePaths() },
        },
        include: ['*.ts', join(root, 'examples/*.ts')],
      }),
    )
    let snippets = 0
    for (const [file, { blocks }] of documents) {
      const name = (count) => join(folder, `${file.replaceAll(/[/.]/g, '_')}_${count}.ts`)
      let count = 0
      let text = ''
      for (const block of blocks.filter(({ language }) => language === 'ts')) {
        // A snippet that continues the previous one is compiled together with it.
        if (block.meta === 'continued') text += block.text
        else {
          text = block.text
          count++
        }
        writeFileSync(name(count), `${text}\nexport {}\n`)
        snippets++
      }
    }
    const tsc = [bin('typescript', 'tsc'), '-p', folder]
    const failure = await promisify(execFile)(process.execPath, tsc).then(
      () => '',
      (error) => error.stdout || error.message,
    )
    expect(failure).toBe('')
    expect(snippets).toBeGreaterThan(10)
    // Six seconds of CPU time, which can take minutes on a busy machine.
  }, 300_000)
})

/** Every entry point of our packages and the source that it is built from. */
function listSourcePaths() {
  return Object.fromEntries(
    packages().flatMap(({ folder, manifest: { name, exports = {} } }) =>
      Object.entries(exports)
        .filter(([, target]) => typeof target === 'object')
        .map(([entry, target]) => [
          join(name, entry),
          [join(folder, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))],
        ]),
    ),
  )
}
