import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, delimiter, join } from 'node:path'
import { startScriptedModel } from '@remora/scripted-model'
import { createHome, getWrapper, installWrapper, listTestVersions, pinned } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { connect } from '../../api/connect.ts'
import { findAgent } from '../../agents/registry.ts'

const asks = { ask: () => new Promise<never>(() => {}) }
const claudes = listTestVersions('claude').flatMap((version) =>
  ['@zed-industries/claude-code-acp', '@agentclientprotocol/claude-agent-acp'].map((wrapper) => ({
    wrapper,
    version,
  })),
)

async function open(agent: 'claude' | 'codex', version: string, wrapper: string, auto: boolean) {
  const model = await startScriptedModel()
  const home = await createHome(agent, { version, model })
  if (auto) {
    await mkdir(join(home.path, '.claude'), { recursive: true })
    await writeFile(
      join(home.path, '.claude/settings.json'),
      '{ "permissions": { "defaultMode": "bypassPermissions" } }',
    )
  }
  const name = agent === 'claude' ? 'CLAUDE' : 'CODEX'
  const env = {
    ...home.env,
    PATH: [
      await installWrapper(home, getWrapper(findAgent(agent)!, wrapper)),
      dirname(pinned(agent, version).path),
    ].join(delimiter),
    [`${name}_CLI_PATH`]: pinned(agent, version).path,
  }
  return {
    home,
    env,
    async [Symbol.asyncDispose]() {
      await home.remove()
      await model.close()
    },
  }
}

describe.each(claudes)('$wrapper with Claude Code $version', { timeout: 120_000 }, ({ wrapper, version }) => {
  it('is in the asking mode with permissions: deny, whatever the settings', async () => {
    await using place = await open('claude', version, wrapper, true)
    await using connection = await connect('claude', {
      env: place.env,
      cwd: place.home.cwd,
      permissions: 'deny',
    })
    const session = await connection.open({ cwd: place.home.cwd, structuredOutput: false })
    expect(session.mode).toBe('default')
    await session.prompt('WRITE: denied.txt text').result
    await expect(access(join(place.home.cwd, 'denied.txt'))).rejects.toThrow()
  })

  it('reports its mode, and changes it', async () => {
    await using place = await open('claude', version, wrapper, false)
    const reported: unknown[] = []
    await using connection = await connect('claude', {
      env: place.env,
      cwd: place.home.cwd,
      asks,
      sink: {
        write: (event) =>
          void (event.type === 'status' && event.status === 'mode' && reported.push(event.value)),
      },
    })
    const session = await connection.open({ cwd: place.home.cwd, structuredOutput: false })
    expect(session.mode).toBe('default')
    expect(reported).toContain('default')
    await session.setMode('acceptEdits')
    expect(session.mode).toBe('acceptEdits')
    const auto = session.setMode('auto')
    // The older wrapper does not offer it. The newer one falls back if the model has no auto mode.
    if (wrapper === '@zed-industries/claude-code-acp')
      await expect(auto).rejects.toMatchObject({ code: 'unsupported' })
    else await auto
    expect(['acceptEdits', 'auto']).toContain(session.mode)
  })
})

describe.each(listTestVersions('codex'))('codex-acp with Codex %s', { timeout: 120_000 }, (version) => {
  it('leaves the auto mode that it starts in', async () => {
    await using place = await open('codex', version, '@agentclientprotocol/codex-acp', false)
    await using connection = await connect('codex', {
      env: place.env,
      cwd: place.home.cwd,
      permissions: 'ask',
      asks,
    })
    const session = await connection.open({ cwd: place.home.cwd, structuredOutput: false })
    expect(session.modes.current).toBe('read-only')
    expect(session.mode).toBe('default')
    await session.setMode('auto')
    expect(session.modes.current).toBe('agent')
    expect(session.mode).toBe('auto')
  })
})
