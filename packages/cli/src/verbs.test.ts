import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

/** Every package and file that a file loads before any of its functions is called. */
async function loadedWith(file: URL, seen = new Set<string>()): Promise<Set<string>> {
  seen.add(file.href)
  const source = await readFile(file, 'utf8')
  for (const [, name = ''] of source.matchAll(
    /^(?:import|export) (?!type )(?:[^'"();]*? from )?'([^']+)'/gm,
  )) {
    const next = new URL(name, file)
    if (!name.startsWith('.')) seen.add(name)
    else if (!seen.has(next.href)) await loadedWith(next, seen)
  }
  return seen
}

const verbFiles = readFileSync(new URL('./verbs.ts', import.meta.url), 'utf8').match(
  /(?<=import\('\.\/)[^']+/g,
)!

it.each(['main.ts', ...new Set(verbFiles)])('prints help from %s without loading the SDK', async (name) => {
  const loaded = await loadedWith(new URL(`./${name}`, import.meta.url))
  // The bundled command contains the profiles as data (scripts/lib/program.mjs). A verb may use the part of the protocol
  // that loads no other package; the list of verbs may not.
  const light = ['@remora/sdk/profiles', ...(name === 'main.ts' ? [] : ['@remora/protocol/plain'])]
  const heavy = [...loaded].filter((each) => /^(@remora\/|zod)/.test(each) && !light.includes(each))
  expect(heavy).toEqual([])
})

it('finds the SDK among the imports of a file that loads it', async () => {
  const loaded = await loadedWith(new URL('./run/run-agents.ts', import.meta.url))
  expect([...loaded]).toEqual(expect.arrayContaining(['@remora/sdk', '@remora/protocol/plain']))
})

it('finds no other package among the imports of the plain part of the protocol', async () => {
  const loaded = await loadedWith(new URL('../../protocol/src/plain.ts', import.meta.url))
  expect([...loaded].filter((each) => !each.startsWith('file:'))).toEqual([])
})
