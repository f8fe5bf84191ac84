import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { LiveInfo } from '@remora/protocol'
import { startScriptedModel } from '@remora/scripted-model'
import { expect, it, onTestFinished } from 'vitest'
import { createHome, pinned, repository } from '../../../../../testkit/src/index.ts'

/** A home in which a pinned CLI is known only by its ACP command, under another id. */
async function stage(agent: 'gemini' | 'opencode') {
  const model = await startScriptedModel()
  const home = await createHome(agent, { model })
  // The path of a socket has to be short.
  const state = mkdtempSync('/tmp/rl-')
  const remora = async (words: readonly string[], input = '') => {
    const child = spawn(process.execPath, [join(repository, 'packages/cli/bin/remora.mjs'), ...words], {
      env: { ...home.env, REMORA_HOME: state, REMORA_PORT: '0' },
      cwd: home.cwd,
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code: code as number, out, err }
  }
  onTestFinished(async () => {
    await remora(['stop'])
    await home.remove()
    await model.close()
    rmSync(state, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }, 120_000)
  return { home, remora }
}

it.each([
  ['gemini', ['--acp']],
  ['opencode', ['acp']],
] as const)(
  'uses %s as an agent that is known only by its ACP command',
  async (agent, args) => {
    const { home, remora } = await stage(agent)
    const id = `my-${agent}`
    const added = await remora(['agents', 'add', '--acp', id, '--', pinned(agent).path, ...args])
    expect(added).toMatchObject({ code: 0 })
    expect((await remora(['agents', id])).out).toContain(id)

    // A headless run over ACP: the same events and result, without a user who approves.
    const run = await remora(['run', id, 'SAY: Good morning', '--json'])
    expect(run).toMatchObject({ code: 0 })
    const events = run.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; session: string })
    expect(events[0]).toMatchObject({ type: 'session', agent: id })
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: true })
    await remora(['run', id, 'WRITE: denied.txt hello'])
    expect(await home.files()).not.toContain('denied.txt')
    const allowed = await remora(['run', id, 'WRITE: allowed.txt hello', '--mode', 'bypassPermissions'])
    expect(allowed).toMatchObject({ code: 0 })
    expect(await home.files()).toContain('allowed.txt')

    // A chat resumes the session of the run. Gemini damages a session that is loaded within a minute of its creation.
    const session = events[0]!.session
    if (agent !== 'gemini') {
      const chat = await remora(['chat', id, '--resume', session], 'SAY: And good night\n')
      expect(chat).toMatchObject({ code: 0, out: 'And good night\n' })
    }
    const shown = await remora(['show', session, '--agent', id])
    expect(shown.out).toContain('Good morning')
    if (agent !== 'gemini') expect(shown.out).toContain('And good night')
    expect((await remora(['search', 'morning', '--agent', id, '--json'])).out).toContain(session)
    const usage = JSON.parse((await remora(['usage', '--agent', id, '--json'])).out) as object
    expect(usage).toMatchObject({ total: { usage: { inputTokens: expect.any(Number) as number } } })

    // In the background: approvals from another process, and a session that is resumed.
    const started = await remora(['new', id, '--json'])
    expect(started).toMatchObject({ code: 0 })
    const live = JSON.parse(started.out) as LiveInfo
    expect(live).toMatchObject({ agent: id, channel: 'acp' })
    const asking = await remora(['send', live.id, 'RUN: echo made > made.txt', '--wait', '--timeout', '240'])
    const [ask] = JSON.parse((await remora(['asks', '--json'])).out) as { number: string }[]
    if (ask) expect(await remora(['answer', ask.number, 'allow'])).toMatchObject({ code: 0 })
    // OpenCode allows commands by itself, unless its configuration says otherwise.
    else expect([agent, asking.code]).toEqual(['opencode', 0])
    await expect.poll(() => home.files(), { timeout: 240_000 }).toContain('made.txt')
    expect(await remora(['end', live.id])).toMatchObject({ code: 0 })

    expect(await remora(['agents', 'remove', id])).toMatchObject({ code: 0 })
    expect(await remora(['new', id])).toMatchObject({ code: 2 })
    const left = JSON.parse((await remora(['sessions', '--json'])).out) as object[]
    expect(left).toContainEqual(expect.objectContaining({ agent: id, id: session }))
  },
  600_000,
)
