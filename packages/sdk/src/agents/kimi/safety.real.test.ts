import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Answer, Ask } from '@remora/protocol'
import { startScriptedModel } from '@remora/scripted-model'
import { type ConnectOptions, connect, run } from '@remora/sdk'
import { createHome, listTestVersions, pinned } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { kimi } from './index.ts'

async function open(version: string) {
  const model = await startScriptedModel()
  const home = await createHome(kimi.id, { version, model })
  const env = { ...home.env, [kimi.detection.variable]: pinned(kimi.id, version).path }
  const asked: Ask[] = []
  const ask = async (each: Ask): Promise<Answer> => {
    asked.push(each)
    const option = each.options.find(({ effect }) => effect === 'allow') ?? each.options[0]!
    return { ask: each.id, option: option.id, by: 'person', digest: each.digest }
  }
  const options: ConnectOptions = { cwd: home.cwd, env, asks: { ask } }
  return {
    home,
    env,
    asked,
    connect: () => connect(kimi, options),
    async [Symbol.asyncDispose]() {
      await home.remove()
      await model.close()
    },
  }
}

const agentCall = (prompt: string) =>
  `CALL: Agent ${JSON.stringify({ prompt, description: 'Helps', subagent_type: 'coder' })}`

describe.each(listTestVersions(kimi.id))('Kimi Code %s', { timeout: 240_000 }, (version) => {
  it('asks over ACP in a session of a run that never asked, although it reports its asking mode', async () => {
    await using place = await open(version)
    const { home, env } = place
    const prompt = 'RUN: touch before.txt'
    const mode = 'bypassPermissions'
    const { sessionId } = await run(kimi, { prompt, mode, cwd: home.cwd, env }).result
    expect(await home.files()).toEqual(['before.txt'])
    await using connection = await place.connect()
    await using session = await connection.open({ cwd: home.cwd, resume: sessionId })
    expect(session.mode).toBe('default')
    await session.prompt('RUN: touch after.txt').result
    expect(place.asked.map(({ input }) => input)).toEqual([{ command: 'touch after.txt' }])
  })

  it('asks although the configuration says otherwise, if the caller decides', async () => {
    await using place = await open(version)
    const file = join(place.home.path, '.kimi-code/config.toml')
    await writeFile(file, `default_permission_mode = "yolo"\n${await readFile(file, 'utf8')}`)
    await using connection = await connect(kimi, { cwd: place.home.cwd, env: place.env, permissions: 'deny' })
    await using session = await connection.open({ cwd: place.home.cwd, structuredOutput: false })
    expect(session.mode).toBe('default')
    await session.prompt('RUN: touch denied.txt').result
    expect(await place.home.files()).toEqual([])
    await using free = await place.connect()
    await using configured = await free.open({ cwd: place.home.cwd })
    expect(configured.mode).toBe('yolo')
  })

  it('shows a whole command, of which Kimi asks with the beginning', async () => {
    await using place = await open(version)
    await using connection = await place.connect()
    await using session = await connection.open({ cwd: place.home.cwd })
    const command = `echo ${'a'.repeat(80)}; touch hidden.txt`
    await session.prompt(`RUN: ${command}`).result
    expect(place.asked).toMatchObject([{ tool: 'Bash', input: { command } }])
    expect(place.asked[0]!.body ?? '').not.toContain('hidden')
    await session.prompt('WRITE: a.txt the whole text').result
    expect(place.asked[1]).toMatchObject({ tool: 'Write', input: { content: 'the whole text\n' } })
    expect(await place.home.files()).toEqual(['a.txt', 'hidden.txt'])
  })

  it('can only be denied what a sub-agent asks for, because Kimi does not send it', async () => {
    await using place = await open(version)
    await using connection = await place.connect()
    await using session = await connection.open({ cwd: place.home.cwd })
    await session.prompt(agentCall('RUN: touch by-agent.txt')).result
    const [ask, ...more] = place.asked
    expect(more).toEqual([])
    expect(ask!.options.map(({ effect }) => effect)).toEqual(['deny'])
    expect(ask!.body).toContain('can only be denied')
    expect(ask).not.toHaveProperty('input')
    expect(await place.home.files()).toEqual([])
    await using careless = await connect(kimi, {
      cwd: place.home.cwd,
      env: place.env,
      permissions: 'allow',
    })
    await using other = await careless.open({ cwd: place.home.cwd, mode: 'default' })
    await other.prompt(agentCall('RUN: touch by-agent.txt')).result
    expect(await place.home.files()).toEqual([])
  })

  it('changes nothing in plan mode: refused over ACP in a git work tree, without such tools in a run', async () => {
    await using place = await open(version)
    const { home, env } = place
    await promisify(execFile)('git', ['init', '-q'], { cwd: home.cwd })
    await using connection = await place.connect()
    const opening = connection.open({ cwd: home.cwd, mode: 'plan' })
    await expect(opening).rejects.toMatchObject({ code: 'unsupported', message: /git work tree/ })
    await using session = await connection.open({ cwd: home.cwd })
    await expect(session.setMode('plan')).rejects.toMatchObject({ code: 'unsupported' })
    await appendFile(join(home.cwd, '.git/info/exclude'), '*\n')
    for (const prompt of ['WRITE: a.txt x', 'RUN: touch b.txt', agentCall('WRITE: c.txt x')]) {
      const { ok } = await run(kimi, { prompt, mode: 'plan', cwd: home.cwd, env }).result
      expect(ok).toBe(true)
    }
    expect((await home.files()).filter((name) => !name.startsWith('.git/'))).toEqual([])
  })
})
