import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './lib/paths.mjs'

// No two folders of a package import each other, because then neither can be read or changed without the other.
// A folder is a first-level folder of `src`, or a folder below one of these. Loose files form the folder `src`.
const parents = ['agents', 'channels']

const packages = ['packages', 'apps']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((name) => existsSync(join(root, name, 'src')))

describe.each(packages)('%s', (name) => {
  const cycles = findCycles(listImports(join(root, name, 'src')))

  it('has no pair of folders that import each other', () => {
    const message = [...cycles].map(([pair, [one, other]]) => `${pair}:\n  ${one}\n  ${other}`).join('\n')
    expect([...cycles.keys()], `Move code until only one of them imports the other.\n${message}`).toEqual([])
  })
})

/** Every import of one source file by another, as paths below `src`. Tests may import anything. */
function listImports(src) {
  const files = readdirSync(src, { recursive: true }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test(-data)?\.|(^|\/)fixtures\//.test(file),
  )
  return files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import)[\s(]*['"](\.[^'"]+)['"]/g)].map(
      ([, path]) => ({ from: file, to: normalize(join(dirname(file), path)) }),
    ),
  )
}

/** The pairs that import each other, with one import in either direction as examples. */
function findCycles(imports) {
  const edges = new Map()
  for (const { from, to } of imports) {
    const [importer, imported] = [getFolder(from), getFolder(to)]
    if (importer !== imported) edges.set(`${importer} ${imported}`, `${from} imports ${to}`)
  }
  const pairs = new Map()
  for (const [edge, example] of edges) {
    const [one, other] = edge.split(' ')
    const back = edges.get(`${other} ${one}`)
    if (back !== undefined && one < other) pairs.set(`${one} ↔ ${other}`, [example, back])
  }
  return pairs
}

function getFolder(file) {
  const [first, second, ...rest] = file.split('/')
  if (second === undefined) return 'src'
  return parents.includes(first) && rest.length > 0 ? `${first}/${second}` : first
}
