import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddedPlugin, readAddedAgents } from '@remora/sdk/plugins'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../detection/survey.ts'
import { main } from '../../main.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-plugins-'))
  await mkdir(join(home, 'work'))
})
afterEach(async () => {
  await rm(home, { recursive: true, force: true })
  // The registry is shared by all tests of this process.
  await remora(['agents'])
})

interface Options {
  /** What the user types; not a terminal without it. */
  readonly answer?: string
  readonly env?: Readonly<Record<string, string>>
}

async function remora(words: readonly string[], { answer, env }: Options = {}) {
  let [out, err] = ['', '']
  const code = await main(words, {
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'dumb', ...env },
    cwd: join(home, 'work'),
    home,
    platform: 'linux',
    terminal: false,
    ...(answer === undefined
      ? {}
      : { stdin: { terminal: true, read: async () => '', readLine: async () => answer } }),
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err }
}

/** Writes a package with an agent, outside the folders of Remora. */
async function writePackage({ id = 'mine', version = '1.0.0', contract = 1, extra = '' } = {}) {
  const folder = join(home, 'elsewhere')
  await mkdir(folder, { recursive: true })
  const name = 'remora-agent-mine'
  const manifest = {
    name,
    version,
    type: 'module',
    exports: './index.js',
    remora: { contract },
    scripts: { preinstall: 'touch ran', postinstall: 'touch ran', prepare: 'touch ran' },
    devDependencies: { 'no-such-package-of-remora': '1.0.0' },
    peerDependencies: { '@remora/sdk': '^99.0.0' },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(
    join(folder, 'index.js'),
    `const off = ['interrupt', 'resume', 'fork', 'attach', 'statusLine', 'images', 'streaming', 'webSearch', 'thinking', 'slashCommands']
export default {
  id: '${id}',
  title: 'My agent ${version}',
  detection: { variable: 'MINE_CLI_PATH', command: 'mine', install: 'npm install -g mine' },
  features: () => ({ models: [], effortLevels: [], ...Object.fromEntries(off.map((key) => [key, false])) }),
  acp: { invocation: () => ({ args: [] }), modes: {}, toClaude: (name, input) => ({ name, input }) },
  ${extra}
}
`,
  )
  return folder
}

async function readEntry(): Promise<AddedPlugin | undefined> {
  const [entry] = await readAddedAgents(join(home, '.remora'))
  return entry as AddedPlugin | undefined
}

const listPlugins = () => readdir(join(home, '.remora', 'plugins')).catch(() => [])
const add = (answer = 'y') => remora(['agents', 'add', join(home, 'elsewhere')], { answer })

describe('remora agents add <package>', () => {
  it('shows what will run, asks, and copies it without running scripts', async () => {
    const folder = await writePackage()
    const added = await add()
    expect(added).toMatchObject({ code: 0 })
    expect(added.out).toContain('Added mine: My agent 1.0.0 (remora-agent-mine 1.0.0)')
    const entry = await readEntry()
    for (const text of [
      'remora-agent-mine 1.0.0',
      '~/elsewhere (copied)',
      '2 files',
      entry!.integrity,
      'your rights',
    ])
      expect(added.err).toContain(text)
    expect(entry).toMatchObject({ kind: 'plugin', id: 'mine', source: folder, version: '1.0.0' })
    expect((await stat(join(home, '.remora', 'agents.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['index.js', 'package.json'])
    expect(await listPlugins()).toEqual(['mine'])
    const [finding] = JSON.parse((await remora(['agents', 'mine', '--json'])).out) as Finding[]
    expect(finding).toMatchObject({
      title: 'My agent 1.0.0',
      problems: [{ code: 'agent_missing' }],
      added: entry,
    })
  })

  it('adds nothing if the user declines', async () => {
    await writePackage()
    expect(await add('n')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was changed') as string,
    })
    expect(await readEntry()).toBeUndefined()
    expect(await listPlugins()).toEqual([])
  })

  it('needs a terminal or --yes, and no agent can add one', async () => {
    const folder = await writePackage()
    expect(await remora(['agents', 'add', folder])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes') as string,
    })
    const env = { REMORA_RUN: '5f0c' }
    for (const verb of ['add', 'trust'])
      expect(await remora(['agents', verb, folder, '--yes'], { env, answer: 'y' })).toMatchObject({
        code: 1,
        err: expect.stringContaining('An agent cannot add or trust a plugin') as string,
      })
    expect(await listPlugins()).toEqual([])
    expect(await remora(['agents', 'add', folder, '--yes'])).toMatchObject({ code: 0 })
  })

  it('is not affected by later changes of the folder, until it is added again', async () => {
    await writePackage()
    await add()
    const first = await readEntry()
    await writePackage({ version: '2.0.0' })
    expect((await remora(['agents', 'mine'])).out).toContain('My agent 1.0.0')
    const again = await add()
    expect(again.err).toContain('Replaces  remora-agent-mine 1.0.0')
    expect((await remora(['agents', 'mine'])).out).toContain('My agent 2.0.0')
    const second = await readEntry()
    expect(second?.integrity).not.toBe(first?.integrity)
    expect(await readdir(join(home, '.remora', 'plugins', 'mine'))).toEqual([
      second?.folder.split('/').at(-1),
    ])
  })

  it.each([
    ['an id of Remora', { id: 'gemini' }, 'which is part of Remora'],
    ['an invalid id', { id: 'Mine!' }, 'id: must have only lower-case letters'],
    ['a part that throws', { extra: 'health() { throw new Error("no") },' }, 'health: throws: no'],
    ['another contract', { contract: 2 }, 'needs version 2 of the agent contract; this Remora has 1'],
  ])('refuses a package with %s', async (_, options, message) => {
    await writePackage(options)
    const { code, err } = await add()
    expect(code).not.toBe(0)
    expect(err).toContain(message)
    expect(await readEntry()).toBeUndefined()
    expect((await listPlugins()).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('refuses an id that the user gave to another agent', async () => {
    await writePackage()
    await remora(['agents', 'add', '--acp', 'mine', '--', process.execPath])
    expect(await add()).toMatchObject({
      code: 1,
      err: expect.stringContaining('remora agents remove mine') as string,
    })
  })

  it('explains what is wrong with a command line', async () => {
    await mkdir(join(home, 'work', 'folder name'))
    const hints: [string[], string][] = [
      [['agents', 'add', './nothing'], 'package.json'],
      [['agents', 'add', 'folder name'], "remora agents add './folder name'"],
      [['agents', 'add', 'Not a package'], 'Invalid package'],
      [['agents', 'add', './x', '--title', 'X'], '--title needs --acp <id>'],
      [['agents', 'add', './x', '--', 'command'], 'A command after -- needs --acp <id>'],
      [['agents', 'add', './x', '--acp', 'mine', '--', 'command'], 'Unexpected argument "./x" with --acp'],
      [['agents', 'trust', 'mine'], 'You have not added an agent "mine"'],
    ]
    for (const [words, text] of hints) {
      const { code, err } = await remora(words, { answer: 'y' })
      expect([words, code > 0]).toEqual([words, true])
      expect(err).toContain(text)
    }
  })

  it('ignores plugins of a project', async () => {
    const folder = await writePackage()
    await add()
    const [entries, work] = [join(home, '.remora'), join(home, 'work')]
    for (const place of [work, join(work, '.remora')]) {
      await mkdir(place, { recursive: true })
      await writeFile(join(place, 'agents.json'), await readFile(join(entries, 'agents.json'), 'utf8'))
      await writeFile(join(place, 'config.json'), JSON.stringify({ agents: [folder], plugins: [folder] }))
      await writeFile(join(place, 'package.json'), JSON.stringify({ remora: { agents: [folder] } }))
    }
    await remora(['agents', 'remove', 'mine'])
    expect((await remora(['agents'])).out).not.toContain('mine')
    expect((await remora(['config', 'plugins', folder])).code).toBe(2)
  })
})

describe('a changed plugin', () => {
  /** Changes the installed module, so that running it leaves a file. */
  async function tamper(): Promise<string> {
    await writePackage()
    await add()
    const { folder } = (await readEntry())!
    const proof = join(home, 'proof')
    const path = join(home, '.remora', folder, 'node_modules', 'remora-agent-mine', 'index.js')
    await appendFile(
      path,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(proof)}, '')\n`,
    )
    return proof
  }

  it('is listed as broken, does not run, and costs only itself', async () => {
    const proof = await tamper()
    const { out, code } = await remora(['agents'])
    expect(code).toBe(0)
    expect(out).toMatch(/mine .*not loaded/)
    expect(out).toContain('gemini')
    expect(out).toContain('mine is not loaded: its files have changed since you added it')
    expect(out).toContain('remora agents trust mine')
    expect(await remora(['run', 'mine', 'Hello'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('its files have changed') as string,
    })
    await expect(stat(proof)).rejects.toThrow('ENOENT')
  })

  it('runs again once the user trusts it at a terminal', async () => {
    const proof = await tamper()
    expect(await remora(['agents', 'trust', 'mine'])).toMatchObject({ code: 2 })
    const before = await readEntry()
    const declined = await remora(['agents', 'trust', 'mine'], { answer: '' })
    expect(declined).toMatchObject({ code: 1, err: expect.stringContaining(before!.integrity) as string })
    expect(await readEntry()).toEqual(before)
    await expect(stat(proof)).rejects.toThrow('ENOENT')
    expect(await remora(['agents', 'trust', 'mine'], { answer: 'y' })).toMatchObject({
      code: 0,
      out: 'Trusted mine: remora-agent-mine 1.0.0\n',
    })
    expect((await stat(proof)).isFile()).toBe(true)
    expect((await remora(['agents', 'mine', '--json'])).out).not.toContain('plugin_')
    expect((await remora(['agents', 'trust', 'mine'], { answer: 'y' })).out).toContain('have not changed')
  })

  it('is replaced when it is added again, and removed', async () => {
    const proof = await tamper()
    expect(await add()).toMatchObject({ code: 0 })
    expect((await remora(['agents', 'mine', '--json'])).out).not.toContain('plugin_')
    await expect(stat(proof)).rejects.toThrow('ENOENT')
    expect(await remora(['agents', 'remove', 'mine'])).toMatchObject({ code: 0 })
    expect(await listPlugins()).toEqual([])
  })
})

it('asks npm for an exact name, and reports why it failed', async () => {
  const env = { npm_config_registry: 'http://127.0.0.1:9' }
  const { code, err } = await remora(['agents', 'add', '@no-such/agent@1.0.0', '--yes'], { env })
  expect(code).toBe(1)
  expect(err).toContain('npm could not install @no-such/agent')
  expect(await listPlugins()).toEqual([])
})
