import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../../../../sdk/src/channels/acp/fake-agent/command.test-data.ts'
import type { Finding } from '../../detection/survey.ts'
import { main } from '../../main.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-added-'))
  await mkdir(join(home, 'work'))
})
afterEach(async () => {
  await rm(home, { recursive: true, force: true })
  // The registry is shared by all tests of this process.
  await remora('agents')
})

async function remora(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await main(words, {
    env: { PATH: join(home, 'bin'), HOME: home, TERM: 'dumb' },
    cwd: join(home, 'work'),
    home,
    platform: 'linux',
    terminal: false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err }
}

const { command, args } = fakeAgent()
const addFake = (id = 'mine', ...options: string[]) =>
  remora('agents', 'add', '--acp', id, ...options, '--', command, ...args!)

describe('remora agents add --acp', () => {
  it('stores the agent for this user only, and lists it', async () => {
    expect(await addFake('mine', '--title', 'My agent')).toMatchObject({
      code: 0,
      out: expect.stringContaining('remora chat mine') as string,
    })
    expect((await stat(join(home, '.remora', 'agents.json'))).mode & 0o777).toBe(0o600)
    const { out } = await remora('agents', 'mine')
    expect(out).toContain('My agent')
    expect(out).toContain('acp')
    const [finding] = JSON.parse((await remora('agents', 'mine', '--json')).out) as Finding[]
    expect(finding).toMatchObject({
      id: 'mine',
      title: 'My agent',
      installed: true,
      channels: ['acp'],
      problems: [],
      added: { kind: 'acp', command, args },
    })
  })

  it('runs it, records the session, and finds it again', async () => {
    await addFake()
    const run = await remora('run', 'mine', 'say The whale sings.', '--quiet')
    expect(run).toMatchObject({ code: 0, out: 'The whale sings.\n' })
    expect((await remora('sessions', '--agent', 'mine')).out).toContain('say The whale sings.')
    expect((await remora('search', 'whale')).out).toContain('whale')
    const [session] = JSON.parse((await remora('sessions', '--json')).out) as { agent: string; id: string }[]
    expect(session?.agent).toBe('mine')
    expect((await remora('resume', 'latest', '--print')).out).toContain(
      `remora chat mine --resume ${session!.id}`,
    )
    const again = await remora('run', 'mine', 'say Again.', '--resume', 'latest', '--json')
    expect(JSON.parse(again.out.split('\n')[0]!)).toMatchObject({ session: session!.id })
  })

  it('keeps values of variables out of every list', async () => {
    await addFake('mine', '--env', 'KEY=secret')
    expect(await readFile(join(home, '.remora', 'agents.json'), 'utf8')).toContain('secret')
    const { out } = await remora('agents', '--json')
    expect(out).not.toContain('secret')
    expect(out).toContain('"KEY"')
  })

  it('explains what is wrong with a command line', async () => {
    expect(await remora('agents', 'add')).toMatchObject({ code: 2 })
    expect(await remora('agents', 'add', '--acp', 'mine')).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs a command after --') as string,
    })
    expect(await remora('agents', 'add', '--acp', 'My Agent', '--', command)).toMatchObject({ code: 2 })
    expect(await addFake('gemini')).toMatchObject({
      code: 2,
      err: expect.stringContaining('my-gemini') as string,
    })
    expect(await remora('agents', 'add', '--acp', 'mine', '--', 'no-such-agent')).toMatchObject({ code: 3 })
    expect(await addFake('mine', '--env', 'nothing')).toMatchObject({ code: 2 })
  })

  it('stores the absolute path of a program in this folder', async () => {
    const program = join(home, 'work', 'agent.sh')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
    expect(await remora('agents', 'add', '--acp', 'mine', '--', './agent.sh')).toMatchObject({ code: 0 })
    const [finding] = JSON.parse((await remora('agents', 'mine', '--json')).out) as Finding[]
    expect(finding?.path).toBe(program)
  })

  it('leaves other commands working if the file is damaged', async () => {
    await mkdir(join(home, '.remora'))
    await writeFile(join(home, '.remora', 'agents.json'), '{')
    const { code, err, out } = await remora('agents')
    expect(code).toBe(0)
    expect(err).toContain('agents.json')
    expect(out).toContain('gemini')
  })
})

describe('remora agents remove', () => {
  it('removes an added agent and keeps its sessions', async () => {
    await addFake()
    await remora('run', 'mine', 'say Kept.')
    expect(await remora('agents', 'remove', 'mine')).toMatchObject({ code: 0 })
    expect((await remora('agents')).out).not.toContain('mine')
    expect(await remora('run', 'mine', 'say Hello.')).toMatchObject({ code: 2 })
    expect((await remora('sessions')).out).toContain('say Kept.')
  })

  it('removes no agent of Remora and none that does not exist', async () => {
    expect(await remora('agents', 'remove', 'gemini')).toMatchObject({ code: 2 })
    expect(await remora('agents', 'remove', 'mine')).toMatchObject({ code: 1 })
    expect(await remora('remove', 'mine')).toMatchObject({ code: 2 })
  })
})
