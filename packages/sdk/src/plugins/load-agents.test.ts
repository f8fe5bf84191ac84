import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agents, findAgent } from '../agents/registry.ts'
import { type AddedPlugin, readAddedAgents, removeAddedAgent, saveAddedAgent } from './agents-file.ts'
import { contractVersion, importPlugin } from './import-plugin.ts'
import { hashFolder } from './integrity.ts'
import { findBrokenAgent, loadAddedAgents } from './load-agents.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-plugins-'))
})
afterEach(async () => {
  for (const { id } of await readAddedAgents(home)) await removeAddedAgent(home, id)
  // The registry is shared by all tests of this process.
  await loadAddedAgents(home)
  await rm(home, { recursive: true, force: true })
  delete (globalThis as Fields)['hasRun']
})

type Fields = Record<string, unknown>

const module = (id: string): string => `globalThis.hasRun = true
const off = ['interrupt', 'resume', 'fork', 'attach', 'statusLine', 'images', 'streaming', 'webSearch', 'thinking', 'slashCommands']
export default {
  id: '${id}',
  title: 'Agent ${id}',
  detection: { variable: 'MINE_CLI_PATH', command: '${id}', install: 'npm install -g ${id}' },
  features: () => ({ models: [], effortLevels: [], ...Object.fromEntries(off.map((key) => [key, false])) }),
  acp: { invocation: () => ({ args: [] }), modes: {}, toClaude: (name, input) => ({ name, input }) },
}
`

/** Writes the files of an installed plugin, and its entry. */
async function install(
  id: string,
  {
    code = module(id),
    manifest = {},
    entry = {},
  }: { readonly code?: string; readonly manifest?: object; readonly entry?: Partial<AddedPlugin> } = {},
) {
  const name = `remora-agent-${id}`
  const folder = join(home, 'plugins', id, 'one')
  const path = join(folder, 'node_modules', name)
  await mkdir(path, { recursive: true })
  const fields = {
    name,
    version: '1.0.0',
    type: 'module',
    remora: { contract: contractVersion },
    ...manifest,
  }
  await writeFile(join(path, 'package.json'), JSON.stringify(fields))
  await writeFile(join(path, 'index.js'), code)
  const { integrity } = await hashFolder(folder)
  const common = { kind: 'plugin', id, title: id, addedAt: 1, package: name, version: '1.0.0' } as const
  await saveAddedAgent(home, { ...common, source: path, integrity, folder: `plugins/${id}/one`, ...entry })
  return path
}

const hasRun = () => (globalThis as Fields)['hasRun'] === true

describe('a plugin', () => {
  it('is registered, and removed with its files', async () => {
    await install('mine')
    expect(await loadAddedAgents(home)).toEqual([])
    expect(findAgent('mine')?.title).toBe('Agent mine')
    await removeAddedAgent(home, 'mine')
    await loadAddedAgents(home)
    expect(findAgent('mine')).toBeUndefined()
    await expect(hashFolder(join(home, 'plugins', 'mine'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each([
    ['a changed file', (path: string) => appendFile(join(path, 'index.js'), '// changed\n')],
    ['a new file', (path: string) => writeFile(join(path, 'other.js'), '')],
    ['a changed package.json', (path: string) => appendFile(join(path, 'package.json'), '\n')],
    [
      'a new dependency',
      async (path: string) => {
        await mkdir(join(path, 'node_modules', 'other'), { recursive: true })
        await writeFile(join(path, 'node_modules', 'other', 'index.js'), '')
      },
    ],
    ['no file', (path: string) => rm(join(path, 'index.js'))],
  ])('with %s does not run', async (_, change) => {
    await change(await install('mine'))
    const [broken] = await loadAddedAgents(home)
    expect(broken?.problem).toMatchObject({
      code: 'plugin_changed',
      message: 'mine is not loaded: its files have changed since you added it',
      hint: expect.stringContaining('remora agents trust mine') as string,
    })
    expect(hasRun()).toBe(false)
    expect(findAgent('mine')).toBeUndefined()
    expect(findBrokenAgent('mine')).toEqual(broken)
  })

  it.each([
    ['throws', { code: 'throw new Error("no way")' }, 'no way'],
    ['rejects', { code: 'await Promise.reject(new Error("no way"))' }, 'no way'],
    ['has a syntax error', { code: 'export default {' }, ''],
    ['exports nothing', { code: 'export const x = 1' }, 'exports no agent'],
    ['exports something else', { code: 'export default { id: "mine" }' }, 'is incomplete'],
    ['defines another agent', { code: module('other') }, 'now defines the agent other'],
    [
      'defines an agent of Remora',
      { code: module('gemini'), entry: { id: 'gemini' } },
      'There is an agent "gemini" already',
    ],
    ['is no plugin', { manifest: { remora: undefined } }, 'is not a Remora plugin'],
    [
      'needs a newer Remora',
      { manifest: { remora: { contract: 99 } } },
      'needs version 99 of the agent contract',
    ],
    [
      'exports a file outside',
      { manifest: { exports: '../../../x.js' } },
      'exports a file outside its folder',
    ],
    [
      'has an entry for another folder',
      { entry: { folder: '../elsewhere' } },
      'is outside the folder of plugins',
    ],
    ['is missing', { entry: { folder: 'plugins/none' } }, 'its files are missing'],
  ])('that %s costs only itself', async (_, what, message) => {
    const before = agents()
    await install('mine', what)
    await install('good')
    const broken = await loadAddedAgents(home)
    expect(broken).toHaveLength(1)
    expect(broken[0]!.problem.message).toContain(message)
    expect(agents().map(({ id }) => id)).toEqual([...before.map(({ id }) => id), 'good'])
  })

  it('runs none of its code if it needs another version of the contract', async () => {
    await install('mine', { manifest: { remora: { contract: contractVersion + 1 } } })
    expect((await loadAddedAgents(home))[0]?.problem.hint).toBe('Update Remora.')
    expect(hasRun()).toBe(false)
  })

  it('that never finishes loading is given up', async () => {
    const path = await install('mine', { code: 'await new Promise(() => {})' })
    await expect(importPlugin(path, 50)).rejects.toThrow('did not load within 0.05 seconds')
  })
})

it('refuses links and large folders', async () => {
  const { symlink } = await import('node:fs/promises')
  const folder = join(home, 'files')
  await mkdir(folder)
  await writeFile(join(folder, 'a'), 'a')
  const { integrity, files, bytes } = await hashFolder(folder)
  expect({ files, bytes }).toEqual({ files: 1, bytes: 1 })
  await writeFile(join(folder, 'a'), 'b')
  expect((await hashFolder(folder)).integrity).not.toBe(integrity)
  await symlink('/etc/hostname', join(folder, 'link'))
  await expect(hashFolder(folder)).rejects.toThrow('neither a file nor a folder')
  await rm(join(folder, 'link'))
  await writeFile(join(folder, 'large'), Buffer.alloc(21 * 1024 * 1024))
  await expect(hashFolder(folder)).rejects.toThrow('more than 20 MB')
})
