import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claude } from '../agents/claude/index.ts'
import { gemini } from '../agents/gemini/index.ts'
import { kiro } from '../agents/kiro/index.ts'
import { defineAgent } from '../contract/agent.ts'
import { detect } from './detect.ts'
import { agents } from '../agents/registry.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-detect-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** An executable that leaves a mark when it is run, and answers with a version. */
async function program(path: string, answer = '9.9.9'): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\necho ran >> '${home}/ran'\necho '${answer}'\n`)
  await chmod(file, 0o755)
  return file
}

async function packageFile(folder: string, content: object): Promise<void> {
  await mkdir(join(home, folder), { recursive: true })
  await writeFile(join(home, folder, 'package.json'), JSON.stringify(content))
}

const ran = async () => (await readdir(home)).includes('ran')

// Absolute folders are those of this machine, so each test has an agent that is not installed anywhere.
const other = defineAgent({
  ...gemini,
  id: 'other',
  title: 'Other CLI',
  detection: { ...gemini.detection, variable: 'OTHER_PATH', command: 'remora-other', package: '@other/cli' },
})
const place = (env: Record<string, string> = {}) => ({
  home,
  cwd: home,
  env: { PATH: '/nonexistent', ...env },
})

describe('detect', () => {
  it('reads the version of an npm installation without starting anything', async () => {
    const entry = await program('lib/node_modules/@other/cli/dist/index.js')
    await packageFile('lib/node_modules/@other/cli/dist', { type: 'module' })
    await packageFile('lib/node_modules/@other/cli', { name: '@other/cli', version: '0.61.0' })
    await mkdir(join(home, 'bin'))
    await symlink(entry, join(home, 'bin/remora-other'))
    expect(await detect(other, place({ PATH: `/nonexistent:${home}/bin` }))).toEqual({
      installed: true,
      path: join(home, 'bin/remora-other'),
      version: '0.61.0',
      source: 'path',
      tried: ['/nonexistent/remora-other', join(home, 'bin/remora-other')],
      problems: [],
    })
    expect(await ran()).toBe(false)
  })

  it('accepts a package with another name that has the command', async () => {
    const entry = await program('fork/run.js')
    await packageFile('fork', { name: 'fork', version: '1.2.3', bin: { 'remora-other': 'run.js' } })
    const found = await detect(other, place({ OTHER_PATH: entry }))
    expect(found).toMatchObject({ version: '1.2.3', source: 'variable' })
    expect(await ran()).toBe(false)
  })

  it('prefers the variable to PATH, also with a relative path or ~', async () => {
    await program('bin/remora-other')
    const chosen = await program('own/remora-other', 'v1.0.0')
    for (const value of [chosen, 'own/remora-other', '~/own/remora-other']) {
      const found = await detect(other, place({ OTHER_PATH: value, PATH: join(home, 'bin') }))
      expect(found).toMatchObject({ installed: true, path: chosen, source: 'variable', tried: [chosen] })
    }
  })

  it('accepts a JavaScript file without execute permission from the variable', async () => {
    const entry = await program('cli/entry.js')
    await chmod(entry, 0o644)
    await packageFile('cli', { name: '@other/cli', version: '0.34.0' })
    expect(await detect(other, place({ OTHER_PATH: entry }))).toMatchObject({
      path: entry,
      version: '0.34.0',
    })
  })

  it.each(['nothing', '.', 'plain'])(
    'says that the variable is wrong (%s) and looks no further',
    async (value) => {
      await program('bin/remora-other')
      await writeFile(join(home, 'plain'), 'not executable')
      const found = await detect(other, place({ OTHER_PATH: value, PATH: join(home, 'bin') }))
      expect(found.installed).toBe(false)
      expect(found.tried).toEqual([join(home, value)])
      expect(found.problems).toEqual([
        {
          code: 'bad_path',
          message: `OTHER_PATH points at ${join(home, value)}, which is no program`,
          hint: expect.stringContaining('unset it'),
        },
      ])
    },
  )

  it('skips files in PATH that are not executable', async () => {
    await mkdir(join(home, 'one/remora-other'), { recursive: true })
    await mkdir(join(home, 'two'))
    await writeFile(join(home, 'two/remora-other'), 'plain')
    const third = await program('three/remora-other')
    const PATH = ['one', 'two', 'three'].map((name) => join(home, name)).join(':')
    expect((await detect(other, place({ PATH }))).path).toBe(third)
  })

  it('searches the common folders, the newest version first', async () => {
    await program('.nvm/versions/node/v9.11.2/bin/remora-other')
    const newest = await program('.nvm/versions/node/v20.19.0/bin/remora-other')
    await program('.nvm/versions/node/v20.5.0/bin/remora-other')
    const found = await detect(other, place())
    expect(found).toMatchObject({ path: newest, source: 'folder' })
  })

  it.each([
    '.local/bin',
    '.npm-global/bin',
    '.bun/bin',
    '.volta/bin',
    '.local/share/pnpm',
    '.local/share/fnm/node-versions/v22.0.0/installation/bin',
    '.local/share/mise/installs/node/22.0.0/bin',
    '.local/share/mise/shims',
  ])('finds a CLI in ~/%s', async (folder) => {
    const path = await program(`${folder}/remora-other`)
    expect(await detect(other, place())).toMatchObject({ path, source: 'folder' })
  })

  it('finds a CLI in the folder of its own installer', async () => {
    const own = defineAgent({ ...other, detection: { ...other.detection, folders: ['~/.other/*/bin'] } })
    const path = await program('.other/current/bin/remora-other')
    expect((await detect(own, place())).path).toBe(path)
  })

  it('reads the version from the path of a native installation', async () => {
    const target = await program('.local/share/claude/versions/2.1.197')
    await mkdir(join(home, '.local/bin'), { recursive: true })
    await symlink(target, join(home, '.local/bin/claude'))
    const found = await detect(claude, place({ PATH: join(home, '.local/bin') }))
    expect(found).toMatchObject({ installed: true, version: '2.1.197' })
    expect(await ran()).toBe(false)
  })

  it('starts the CLI for its version only if no file has it', async () => {
    await program('bin/remora-other', 'other 1.4.2 (build 7)')
    expect((await detect(other, place({ PATH: join(home, 'bin') }))).version).toBe('1.4.2')
    expect(await ran()).toBe(true)
  })

  it('reports an unknown version', async () => {
    const path = await program('bin/remora-other', 'hello')
    const found = await detect(other, place({ PATH: join(home, 'bin') }))
    expect(found.installed).toBe(true)
    expect(found).not.toHaveProperty('version')
    expect(found.problems).toEqual([
      {
        code: 'version_unknown',
        message: `Other CLI at ${path} does not tell its version, so it may not work`,
        hint: `Run it by hand and see what it says: ${path} --version`,
      },
    ])
  })

  it('waits at most three seconds for the version', async () => {
    const path = await program('bin/remora-other')
    await writeFile(path, '#!/bin/sh\nsleep 60\n')
    const began = Date.now()
    const found = await detect(other, place({ PATH: `${home}/bin:${process.env['PATH']}` }))
    expect(found.installed).toBe(true)
    expect(found).not.toHaveProperty('version')
    expect(Date.now() - began).toBeLessThan(30_000)
  })

  it('reports a version that is too old', async () => {
    const entry = await program('old/index.js')
    await packageFile('old', { name: '@other/cli', version: '0.10.0' })
    const { problems } = await detect(other, place({ OTHER_PATH: entry }))
    expect(problems).toEqual([
      {
        code: 'agent_too_old',
        message: `Other CLI 0.10.0 at ${entry} is older than 0.11.0`,
        hint: 'Update it: npm install -g @google/gemini-cli',
      },
    ])
  })

  it('resolves the script of pnpm', async () => {
    const shim = await program('.local/share/pnpm/remora-other')
    await writeFile(
      shim,
      '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/global/5/node_modules/@other/cli/dist/index.js" "$@"\n',
    )
    await packageFile('.local/share/pnpm/global/5/node_modules/@other/cli', {
      name: '@other/cli',
      version: '0.55.1',
    })
    expect(await detect(other, place())).toMatchObject({ path: shim, version: '0.55.1' })
  })

  it('resolves the shim of Volta', async () => {
    const shim = await program('.volta/bin/volta-shim')
    await symlink(shim, join(home, '.volta/bin/remora-other'))
    const image = '.volta/tools/image/packages/@other/cli/lib/node_modules/@other/cli'
    await packageFile(image, { name: '@other/cli', version: '0.51.0' })
    expect((await detect(other, place())).version).toBe('0.51.0')
    expect(await ran()).toBe(false)
  })

  it('resolves the shim of mise', async () => {
    const mise = await program('opt/mise')
    await mkdir(join(home, '.local/share/mise/shims'), { recursive: true })
    await symlink(mise, join(home, '.local/share/mise/shims/remora-other'))
    const inner = 'lib/node_modules/@other/cli'
    await packageFile(`.local/share/mise/installs/node/22.1.0/${inner}`, {
      name: '@other/cli',
      version: '0.47.0',
    })
    expect((await detect(other, place())).version).toBe('0.47.0')
    expect(await ran()).toBe(false)
  })

  it('reports a Node in PATH that is too old for a script, and none for a program', async () => {
    const newer = { ...other, detection: { ...other.detection, minimumNode: '22.19.0' } }
    await program('bin/node', 'v20.20.2')
    const script = await program('lib/other/main.mjs')
    await packageFile('lib/other', { name: '@other/cli', version: '2.1.0' })
    await symlink(script, join(home, 'bin/remora-other'))
    const where = place({ PATH: join(home, 'bin') })
    expect((await detect(newer, where)).problems).toEqual([
      {
        code: 'node_too_old',
        message: `Other CLI at ${home}/bin/remora-other needs Node 22 or newer, and PATH has 20.20.2`,
        hint: 'Put Node 22 or newer first in PATH.',
      },
    ])
    expect((await detect(other, where)).problems).toEqual([])
    await rm(join(home, 'bin/remora-other'))
    await program('bin/remora-other', '2.1.0')
    expect((await detect(newer, where)).problems).toEqual([])
  })

  it('finds no agent in an empty home with an empty PATH, and gives a hint for each', async () => {
    for (const agent of agents()) {
      const { folders: _, ...detection } = agent.detection
      // Under a name of its own, since the folders of this machine may hold the real one.
      const renamed = { ...agent, detection: { ...detection, command: `remora-${agent.id}` } }
      const found = await detect(renamed, { home, cwd: home, env: {} })
      expect(found.installed).toBe(false)
      expect(found.problems).toEqual([
        {
          code: 'agent_missing',
          message: expect.stringContaining(agent.title),
          hint: `Install it: ${agent.detection.install} (or set ${agent.detection.variable} to its path)`,
        },
      ])
    }
  })

  it('uses the environment of this process by default', async () => {
    const found = await detect(defineAgent({ ...kiro, detection: { ...kiro.detection, command: 'node' } }))
    expect(found).toMatchObject({ installed: true, source: 'path' })
  })
})
