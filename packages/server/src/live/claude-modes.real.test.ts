import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@remora/sdk'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Home, createHome, listTestVersions, pinned } from '../../../../testkit/src/index.ts'
import { createLineLog } from '../core/log.ts'
import { type RunningServer, startServer } from '../start-server.ts'
import { endTmux } from './live-failure.test-data.ts'

const patience = { timeout: 120_000, interval: 50 }

describe.each(listTestVersions('claude'))('modes of Claude Code %s', { timeout: 300_000 }, (version) => {
  let model: ScriptedModel
  let home: Home
  let folder: string
  let server: RunningServer

  beforeAll(async () => {
    model = await startScriptedModel()
    home = await createHome('claude', { version, model })
    folder = await mkdtemp('/tmp/rl-')
    const env = { ...home.env, CLAUDE_CLI_PATH: pinned('claude', version).path, TMUX_TMPDIR: folder }
    server = await startServer({
      remoraHome: join(folder, 'r'),
      env: { ...env, TMUX: undefined },
      home: home.path,
      version: '0.0.0',
      port: 0,
      log: createLineLog(() => {}),
    })
  }, 120_000)
  afterAll(async () => {
    await server.close()
    endTmux(join(folder, 'r', 'tmux.sock'))
    await home.remove()
    await model.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }, 120_000)

  const getMode = (id: string) => server.context.live.find(id)?.mode
  const waitForIdle = (id: string) =>
    vi.waitFor(() => expect(server.context.live.find(id)?.state).toBe('idle'), patience)

  it('asks before a command if no mode was chosen', async () => {
    const info = await server.context.live.start({
      agent: 'claude',
      cwd: home.cwd,
      prompt: 'RUN: touch x.txt',
    })
    expect(info.mode).toBe('default')
    await vi.waitFor(() => expect(server.context.live.find(info.id)?.state).toBe('asking'), patience)
    expect(getMode(info.id)).toBe('default')
    await expect(access(join(home.cwd, 'x.txt'))).rejects.toThrow()
  })

  it('switches to auto mode and back, and shows it', async () => {
    const info = await server.context.live.start({ agent: 'claude', cwd: home.cwd, mode: 'ask' })
    await waitForIdle(info.id)
    expect(getMode(info.id)).toBe('default')
    for (const [wanted, shown] of [
      ['auto', 'auto'],
      ['ask', 'default'],
    ] as const) {
      const target = { agent: 'claude', session: server.context.live.find(info.id)!.session }
      const body = { kind: 'mode', mode: wanted } as const
      await server.context.live.submit({ id: `${info.id}-${wanted}`, client: 'test', target, body })
      await vi.waitFor(() => expect(getMode(info.id)).toBe(shown), patience)
    }
  })

  it('starts in a mode of its own, shows its label, and refuses a switch that it cannot make', async () => {
    const info = await server.context.live.start({ agent: 'claude', cwd: home.cwd, mode: 'dontAsk' })
    await waitForIdle(info.id)
    const live = server.context.live.find(info.id)!
    expect(live).toMatchObject({
      mode: 'dontAsk',
      modeInfo: { label: 'Don’t ask', like: 'ask', asks: false },
    })
    const target = { agent: 'claude', session: live.session }
    for (const mode of ['bypass', 'yolo']) {
      const id = `${info.id}-${mode}`
      await server.context.live.submit({ id, client: 'test', target, body: { kind: 'mode', mode } })
      await vi.waitFor(
        async () => {
          const commands = await server.context.ledger.commands.list({ session: target })
          expect(commands.find((command) => command.id === id)).toMatchObject({ state: 'refused' })
        },
        { timeout: 120_000, interval: 50 },
      )
    }
    expect(getMode(info.id)).toBe('dontAsk')
  })

  it('starts in the mode of the user’s settings, not of the project’s, and shows it', async () => {
    const write = async (at: string): Promise<void> => {
      await mkdir(join(at, '.claude'), { recursive: true })
      await writeFile(join(at, '.claude/settings.json'), '{ "permissions": { "defaultMode": "auto" } }')
    }
    await write(home.cwd)
    const project = await server.context.live.start({ agent: 'claude', cwd: home.cwd })
    await waitForIdle(project.id)
    expect(getMode(project.id)).toBe('default')
    await rm(join(home.cwd, '.claude'), { recursive: true })
    await write(home.path)
    const user = await server.context.live.start({ agent: 'claude', cwd: home.cwd })
    await waitForIdle(user.id)
    expect(getMode(user.id)).toBe('auto')
    await rm(join(home.path, '.claude/settings.json'))
  })

  it.each([
    [undefined, 'default', false],
    ['auto', 'auto', true],
    ['dontAsk', 'dontAsk', false],
    ['manual', 'default', false],
    ['bypass', 'bypassPermissions', true],
  ] as const)('reports the mode of a headless run started with %s', async (mode, real, writes) => {
    const { mode: told } = await run('claude', {
      prompt: `WRITE: headless-${mode}.txt text`,
      cwd: home.cwd,
      env: { ...home.env, CLAUDE_CLI_PATH: pinned('claude', version).path },
      ...(mode === undefined ? {} : { mode }),
    }).result
    expect(told).toBe(real)
    expect((await home.files()).includes(`headless-${mode}.txt`)).toBe(writes)
  })
})
