import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { verbs } from './verbs.ts'

/** Every package and file that a file loads before any of its functions is called. */
async function loadedWith(file: URL, seen = new Set<string>()): Promise<Set<string>> {
  seen.add(file.href)
  const source = await readFile(file, 'utf8')
  for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type )[^'"()]*?'([^']+)'/gm)) {
    const next = new URL(name, file)
    if (!name.startsWith('.')) seen.add(name)
    else if (!seen.has(next.href)) await loadedWith(next, seen)
  }
  return seen
}

it.each(['main', ...Object.keys(verbs).map((name) => `commands/${name}`)])(
  'the help of %s does not wait for the SDK and the schemas',
  async (name) => {
    const loaded = await loadedWith(new URL(`./${name}.ts`, import.meta.url))
    expect([...loaded].filter((each) => /^(@remora\/|zod)/.test(each))).toEqual([])
  },
)

it('would be seen where a file does load them', async () => {
  const loaded = await loadedWith(new URL('./run/run-agents.ts', import.meta.url))
  expect([...loaded]).toEqual(expect.arrayContaining(['@remora/sdk', '@remora/protocol/plain']))
})
