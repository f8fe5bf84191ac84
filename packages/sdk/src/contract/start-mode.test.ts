import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findAgent } from '../agents/registry.ts'
import { getStartMode } from './modes.ts'
import type { Mode } from './agent.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-mode-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** The start of an agent whose user has these files; the project is in `work`. */
async function start(agent: string, files: Readonly<Record<string, unknown>> = {}, wanted?: Mode) {
  await mkdir(join(home, 'work'), { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    const file = join(home, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return getStartMode(findAgent(agent)!, { env: {}, home, cwd: join(home, 'work') }, wanted)
}

describe('Claude Code', () => {
  const settings = (defaultMode: string) => ({ permissions: { defaultMode } })

  it('requests the asking mode by a flag if nothing is configured', async () => {
    expect(await start('claude')).toEqual({ mode: 'default', request: 'default' })
    expect(await start('claude', {}, 'auto')).toEqual({ mode: 'auto', request: 'auto' })
  })

  it.each([
    ['acceptEdits', { mode: 'acceptEdits', request: 'acceptEdits' }],
    ['auto', { mode: 'auto', request: 'auto' }],
    ['Manual', { mode: 'default', request: 'default' }],
    ['dontAsk', { mode: 'dontAsk', request: 'dontAsk' }],
    ['nonsense', { mode: 'default', request: 'default' }],
  ])('uses %s of the user’s settings', async (mode, expected) => {
    expect(await start('claude', { '.claude/settings.json': settings(mode) })).toEqual(expected)
  })

  it.each([
    ['plan', 'plan'],
    ['acceptEdits', 'acceptEdits'],
    ['auto', 'default'],
    ['bypassPermissions', 'default'],
  ])('makes of %s in the project’s settings the mode %s', async (mode, expected) => {
    for (const file of ['settings.json', 'settings.local.json'])
      expect(await start('claude', { [`work/.claude/${file}`]: settings(mode) })).toMatchObject({
        mode: expected,
      })
  })
})

describe('Codex', () => {
  it.each([
    ['', 'default'],
    ['sandbox_mode = "danger-full-access"', 'bypassPermissions'],
    ['approval_policy = "never"', 'acceptEdits'],
    ['approvals_reviewer = "auto_review"', 'auto'],
    ['sandbox_mode = "read-only"', 'plan'],
    ['profile = "p"\n[profiles.p]\nsandbox_mode = "danger-full-access"', 'bypassPermissions'],
  ])('with %j starts in %s, and asks where that is wanted', async (config, mode) => {
    expect(await start('codex', { '.codex/config.toml': config })).toEqual({ mode })
    const asking = mode === 'default' ? {} : { request: 'default' }
    expect(await start('codex', {}, 'default')).toEqual({ mode: 'default', ...asking })
  })
})

describe('Gemini CLI', () => {
  it('follows its settings, which cannot set yolo', async () => {
    const settings = (defaultApprovalMode: string) => ({ general: { defaultApprovalMode } })
    expect(await start('gemini')).toEqual({ mode: 'default' })
    expect(await start('gemini', { '.gemini/settings.json': settings('auto_edit') })).toEqual({
      mode: 'acceptEdits',
    })
    expect(await start('gemini', { 'work/.gemini/settings.json': settings('plan') })).toEqual({
      mode: 'plan',
    })
    expect(await start('gemini', { 'work/.gemini/settings.json': settings('yolo') })).toEqual({
      mode: 'acceptEdits',
    })
  })
})

describe('OpenCode', () => {
  const config = (permission: unknown) => ({ '.config/opencode/opencode.json': { permission } })
  const getRules = ({ env }: Awaited<ReturnType<typeof start>>) =>
    JSON.parse(env?.['OPENCODE_PERMISSION'] ?? '{}') as Record<string, string>

  it('is made to ask if nothing is configured', async () => {
    const started = await start('opencode')
    expect(started).toMatchObject({ mode: 'default' })
    expect(getRules(started)).toMatchObject({ '*': 'ask', edit: 'ask', read: 'allow' })
    expect(getRules(await start('opencode', {}, 'acceptEdits'))).toMatchObject({ '*': 'ask', edit: 'allow' })
  })

  it.each([
    [{ bash: 'ask', edit: 'ask' }, 'default'],
    [{ bash: { 'git *': 'allow', '*': 'ask' }, edit: 'allow' }, 'acceptEdits'],
    [{ edit: 'ask' }, 'bypassPermissions'],
    ['allow', 'bypassPermissions'],
    [{ '*': 'ask' }, 'default'],
  ])('with the rules %j starts in %s', async (permission, mode) => {
    expect(await start('opencode', config(permission))).toEqual({ mode })
  })

  it('keeps the user’s rules where they ask, and asks where they do not', async () => {
    expect(await start('opencode', config({ bash: 'ask', edit: 'ask' }), 'default')).toEqual({
      mode: 'default',
      request: 'default',
    })
    expect(getRules(await start('opencode', config('allow'), 'default'))).toMatchObject({ '*': 'ask' })
  })
})
