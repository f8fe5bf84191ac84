import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../agent.ts'
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

// What this machine has installed must not be found.
const place = (more: { env?: Record<string, string>; cwd?: string } = {}) => ({
  home,
  cwd: join(home, more.cwd ?? '.'),
  env: { PATH: '/nonexistent', ...more.env },
})
const own = (agent: Agent, command: string): Agent => ({
  ...agent,
  acp: { ...agent.acp!, wrapper: { ...agent.acp!.wrapper!, command } },
})
const wrapped = own(claude, 'remora-test-acp')
const name = claude.acp.wrapper!.package

describe('findWrapper', () => {
  it('is for agents that need one', async () => {
    expect(await findWrapper(gemini, place())).toBeUndefined()
  })

  it('finds it in the project and above, after PATH', async () => {
    const near = await install('work', name, 'remora-test-acp', '0.16.2')
    expect(await findWrapper(wrapped, place({ cwd: 'work/packages/one' }))).toMatchObject({
      installed: true,
      path: near,
      version: '0.16.2',
    })
    const first = await install('other', name, 'remora-test-acp', '0.15.0')
    const env = { PATH: dirname(first) }
    expect(await findWrapper(wrapped, place({ env, cwd: 'work' }))).toMatchObject({
      path: first,
      version: '0.15.0',
    })
  })

  it('takes the one that its variable names, and no other where that leads nowhere', async () => {
    const path = await install('work', name, 'remora-test-acp', '0.16.2')
    const chosen = await write('own/index.js', '')
    await write('own/package.json', JSON.stringify({ name, version: '1.0.0' }))
    const env = { PATH: dirname(path), CLAUDE_ACP_PATH: chosen }
    expect(await findWrapper(wrapped, place({ env }))).toMatchObject({ path: chosen, version: '1.0.0' })
    const wrong = await findWrapper(
      wrapped,
      place({ env: { ...env, CLAUDE_ACP_PATH: '/nowhere' }, cwd: 'work' }),
    )
    expect(wrong).toMatchObject({ installed: false, problems: [{ code: 'bad_path' }] })
  })

  it.each([
    [wrapped, 'npm install -g @zed-industries/claude-code-acp', 'CLAUDE_ACP_PATH'],
    [own(codex, 'remora-test-acp'), 'npm install -g @zed-industries/codex-acp', 'CODEX_ACP_PATH'],
  ])('says how to get it', async (agent, install_, variable) => {
    const found = await findWrapper(agent, place())
    expect(found).toMatchObject({ installed: false, problems: [{ code: 'agent_missing' }] })
    expect(found?.problems[0]?.message).toMatch(/^The ACP wrapper of .* is not installed: no remora-test-acp/)
    expect(found?.problems[0]?.hint).toContain(install_)
    expect(found?.problems[0]?.hint).toContain(variable)
  })
})

describe('what a wrapper drives', () => {
  it('is the own Claude, or the one in its packages', async () => {
    const path = await install('work', name, 'claude-code-acp', '0.16.2')
    const { drives } = claude.acp.wrapper!
    const mine = { path: '/opt/claude', version: '2.1.197' }
    expect(await drives({ path }, mine, {})).toEqual({ own: true, version: '2.1.197' })
    // Of one that a person has named elsewhere nothing more is known.
    const env = { CLAUDE_CODE_EXECUTABLE: '/my/claude' }
    expect(await drives({ path }, mine, env)).toEqual({ own: true })
    expect(await drives({ path }, undefined, {})).toEqual({ own: false, version: undefined })
    await write(
      'work/node_modules/@anthropic-ai/claude-agent-sdk/package.json',
      JSON.stringify({ version: '0.2.44', claudeCodeVersion: '2.1.44' }),
    )
    expect(await drives({ path }, undefined, {})).toEqual({ own: false, version: '2.1.44' })
  })

  it('is the Codex that it has built in, where that is known', async () => {
    const { drives } = codex.acp.wrapper!
    const mine = { path: '/opt/codex', version: '0.166.0' }
    const built = (version: string) => drives({ path: '/x', version }, mine, {})
    expect(await built('0.16.0')).toEqual({ own: false, version: '0.137.0' })
    expect(await built('9.9.9')).toEqual({ own: false, version: undefined })
  })
})

describe('the environment of the wrapper of Claude', () => {
  const env = claude.acp.quirks!(undefined).env!
  it('names the own Claude, unless a person has named one', () => {
    expect(env(place(), '/opt/claude')).toEqual({ CLAUDE_CODE_EXECUTABLE: '/opt/claude' })
    expect(env(place(), undefined)).toEqual({})
    expect(env(place({ env: { CLAUDE_CODE_EXECUTABLE: '/my/claude' } }), '/opt/claude')).toEqual({
      CLAUDE_CODE_EXECUTABLE: '/my/claude',
    })
  })
})
