import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../contract/agent.ts'
import { claude } from '../agents/claude/index.ts'
import { codex } from '../agents/codex/index.ts'
import { gemini } from '../agents/gemini/index.ts'
import { findWrapper } from './find-wrapper.ts'

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'remora-wrapper-')))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function write(path: string, content: string): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  await chmod(file, 0o755)
  return file
}

/** The package of a wrapper below a folder, and its command as npm links it. */
async function install(folder: string, name: string, command: string, version: string): Promise<string> {
  const entry = await write(`${folder}/node_modules/${name}/dist/index.js`, '#!/usr/bin/env node\n')
  await write(`${folder}/node_modules/${name}/package.json`, JSON.stringify({ name, version }))
  const link = join(home, folder, 'node_modules', '.bin', command)
  await mkdir(dirname(link), { recursive: true })
  await symlink(entry, link)
  return link
}

/** A Node of this version in a folder of its own, as far as its version is asked for. */
async function installNode(version: string): Promise<string> {
  return dirname(await write(`nodes/${version}/node`, `#!/bin/sh\necho v${version}\n`))
}

// What this machine has installed must not be found.
const place = (more: { path?: string[]; env?: Record<string, string>; cwd?: string } = {}) => ({
  home,
  cwd: join(home, more.cwd ?? '.'),
  env: { PATH: (more.path ?? ['/nonexistent']).join(':'), ...more.env },
})

/** The agent with other commands, so that no wrapper of this machine is found. */
const renamed = (agent: Agent): Agent => ({
  ...agent,
  acp: {
    ...agent.acp!,
    wrappers: agent.acp!.wrappers!.map((wrapper) => ({
      ...wrapper,
      command: `remora-test-${wrapper.command}`,
    })),
  },
})
const wrapped = renamed(claude)
const maintained = '@agentclientprotocol/claude-agent-acp'
const earlier = '@zed-industries/claude-code-acp'
const maintainedCommand = 'remora-test-claude-agent-acp'
const earlierCommand = 'remora-test-claude-code-acp'

describe('findWrapper', () => {
  it('finds none for agents without wrappers', async () => {
    expect(await findWrapper(gemini, place())).toBeUndefined()
  })

  it('searches PATH, then the project and its parents', async () => {
    const near = await install('work', earlier, earlierCommand, '0.16.2')
    expect(await findWrapper(wrapped, place({ cwd: 'work/packages/one' }))).toMatchObject({
      installed: true,
      path: near,
      version: '0.16.2',
    })
    const first = await install('other', earlier, earlierCommand, '0.15.0')
    expect(await findWrapper(wrapped, place({ path: [dirname(first)], cwd: 'work' }))).toMatchObject({
      path: first,
      version: '0.15.0',
    })
  })

  it('prefers the maintained wrapper if the Node in PATH can run it', async () => {
    const old = await install('old', earlier, earlierCommand, '0.16.2')
    const path = await install('new', maintained, maintainedCommand, '0.99.1')
    const [node22, node20] = await Promise.all([installNode('22.16.0'), installNode('20.20.2')])
    const folders = [dirname(old), dirname(path)]
    const found = await findWrapper(wrapped, place({ path: [node22, ...folders] }))
    expect(found).toMatchObject({ path, version: '0.99.1', wrapper: { package: maintained }, problems: [] })
    expect(found?.advice).toBeUndefined()
    const onOldNode = await findWrapper(wrapped, place({ path: [node20, node22, ...folders] }))
    expect(onOldNode).toMatchObject({ path: old, version: '0.16.2', wrapper: { package: earlier } })
    expect(onOldNode?.advice).toBe(
      `${maintainedCommand} 0.99.1 at ${path} needs Node 22 or newer, and PATH has 20.20.2. ` +
        'Put Node 22 or newer first in PATH.',
    )
  })

  it('recommends the maintained wrapper if it would run', async () => {
    const old = await install('old', earlier, earlierCommand, '0.16.2')
    const onNode = async (version: string) =>
      (await findWrapper(wrapped, place({ path: [await installNode(version), dirname(old)] })))?.advice
    expect(await onNode('24.1.0')).toContain(`npm install -g ${maintained}`)
    expect(await onNode('20.20.2')).toBeUndefined()
  })

  it('reports that Node is too old for the only wrapper', async () => {
    const path = await install('new', maintained, maintainedCommand, '0.99.1')
    const folders = [await installNode('20.20.2'), dirname(path)]
    expect(await findWrapper(wrapped, place({ path: folders }))).toMatchObject({
      installed: false,
      problems: [{ code: 'node_too_old', hint: 'Put Node 22 or newer first in PATH.' }],
    })
    // spawnTree runs a .js file with the Node of this process.
    const script = join(home, 'new/node_modules', maintained, 'dist/index.js')
    const isOld = Number(process.versions.node.split('.')[0]) < 22
    expect(
      await findWrapper(wrapped, place({ path: folders, env: { CLAUDE_ACP_PATH: script } })),
    ).toMatchObject({ installed: !isOld })
  })

  it('distinguishes two wrappers with the same command by their packages', async () => {
    const agent = renamed(codex)
    const [command] = agent.acp!.wrappers!.map((wrapper) => wrapper.command)
    const old = await install('old', '@zed-industries/codex-acp', command!, '0.16.0')
    const path = await install('new', '@agentclientprotocol/codex-acp', command!, '2.6.0')
    const folders = [dirname(old), dirname(path)]
    const onNode = async (version: string) =>
      findWrapper(agent, place({ path: [await installNode(version), ...folders] }))
    expect(await onNode('22.16.0')).toMatchObject({ path, version: '2.6.0' })
    expect(await onNode('20.20.2')).toMatchObject({ path: old, version: '0.16.0' })
  })

  it('uses only the wrapper in the variable, even if it does not exist', async () => {
    const path = await install('new', maintained, maintainedCommand, '0.99.1')
    const chosen = await write('own/claude-acp', '#!/usr/bin/env node\n')
    await write('own/package.json', JSON.stringify({ name: earlier, version: '1.0.0' }))
    const folders = [await installNode('22.16.0'), dirname(path)]
    expect(
      await findWrapper(wrapped, place({ path: folders, env: { CLAUDE_ACP_PATH: chosen } })),
    ).toMatchObject({ path: chosen, version: '1.0.0', wrapper: { package: earlier } })
    const wrong = await findWrapper(wrapped, place({ path: folders, env: { CLAUDE_ACP_PATH: '/nowhere' } }))
    expect(wrong).toMatchObject({ installed: false, problems: [{ code: 'bad_path' }] })
  })

  it.each([
    [wrapped, '22.16.0', 'npm install -g @agentclientprotocol/claude-agent-acp', 'CLAUDE_ACP_PATH'],
    [wrapped, '20.20.2', 'npm install -g @zed-industries/claude-code-acp', 'CLAUDE_ACP_PATH'],
    [renamed(codex), '22.16.0', 'npm install -g @agentclientprotocol/codex-acp', 'CODEX_ACP_PATH'],
    [renamed(codex), '20.20.2', 'npm install -g @zed-industries/codex-acp', 'CODEX_ACP_PATH'],
  ])('recommends the package that the Node in PATH runs', async (agent, node, command, variable) => {
    const found = await findWrapper(agent, place({ path: [await installNode(node)] }))
    expect(found).toMatchObject({ installed: false, problems: [{ code: 'agent_missing' }] })
    expect(found?.problems[0]?.message).toMatch(/^The ACP wrapper of .* is not installed: no remora-test-/)
    expect(found?.problems[0]?.hint).toContain(command)
    expect(found?.problems[0]?.hint).toContain(variable)
  })
})

describe('the CLI that a wrapper starts', () => {
  it.each(claude.acp.wrappers!)(
    'is the own Claude, or the one in its packages: $package',
    async (wrapper) => {
      const path = await install('work', wrapper.package, wrapper.command, '0.16.2')
      const mine = { path: '/opt/claude', version: '2.1.197' }
      expect(await wrapper.drives({ path }, mine, {})).toEqual({ own: true, version: '2.1.197' })
      // Of one that a person has named elsewhere nothing more is known.
      const env = { CLAUDE_CODE_EXECUTABLE: '/my/claude' }
      expect(await wrapper.drives({ path }, mine, env)).toEqual({ own: true })
      expect(await wrapper.drives({ path }, undefined, {})).toEqual({ own: false, version: undefined })
      await write(
        'work/node_modules/@anthropic-ai/claude-agent-sdk/package.json',
        JSON.stringify({ version: '0.2.44', claudeCodeVersion: '2.1.44' }),
      )
      expect(await wrapper.drives({ path }, undefined, {})).toEqual({ own: false, version: '2.1.44' })
    },
  )

  it('is the user’s own Codex if the maintained wrapper can start it', async () => {
    const [wrapper] = codex.acp.wrappers!
    const path = await install('work', wrapper!.package, 'codex-acp', '2.6.0')
    await write('work/node_modules/@openai/codex/package.json', JSON.stringify({ version: '0.166.0' }))
    const mine = (version: string) => ({ path: '/opt/codex', version })
    expect(await wrapper!.drives({ path }, mine('0.169.0'), {})).toEqual({ own: true, version: '0.169.0' })
    expect(await wrapper!.drives({ path }, mine('0.150.0'), {})).toEqual({ own: false, version: '0.166.0' })
    const env = (version: string) => wrapper!.part!.quirks!(version).env!(place(), '/opt/codex')
    const asking = { INITIAL_AGENT_MODE: 'read-only' }
    expect(env('0.169.0')).toEqual({ ...asking, CODEX_PATH: '/opt/codex' })
    expect(env('0.150.0')).toEqual(asking)
  })

  it('is the Codex bundled with the earlier wrapper, if known', async () => {
    const [, wrapper] = codex.acp.wrappers!
    const mine = { path: '/opt/codex', version: '0.166.0' }
    const built = (version: string) => wrapper!.drives({ path: '/x', version }, mine, {})
    expect(await built('0.16.0')).toEqual({ own: false, version: '0.137.0' })
    expect(await built('9.9.9')).toEqual({ own: false, version: undefined })
  })
})

describe('the environment of the wrappers of Claude', () => {
  it.each(claude.acp.wrappers!)(
    'names the own Claude, unless the user has named one: $package',
    ({ part }) => {
      const env = part!.quirks!(undefined).env!
      expect(env(place(), '/opt/claude')).toEqual({ CLAUDE_CODE_EXECUTABLE: '/opt/claude' })
      expect(env(place(), undefined)).toEqual({})
      expect(env(place({ env: { CLAUDE_CODE_EXECUTABLE: '/my/claude' } }), '/opt/claude')).toEqual({
        CLAUDE_CODE_EXECUTABLE: '/my/claude',
      })
    },
  )
})
