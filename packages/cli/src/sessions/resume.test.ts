import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAgent } from '@remora/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Io } from '../command/io.ts'
import { findResumed } from '../run/run-agents.ts'
import { TestHome, edit, hello, shell } from './home.test-data.ts'

let home: TestHome
beforeEach(async () => {
  home = new TestHome()
  for (const each of [hello, edit, shell]) await home.add(each)
})
afterEach(() => home[Symbol.dispose]())

describe('remora resume', () => {
  /** A fake Claude Code that prints its arguments and exits with its own code. */
  const install = (code: number) => {
    const program = join(home.path, 'bin', 'claude')
    home.write(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > '${join(home.path, 'started')}'\nexit ${code}\n`,
    )
    chmodSync(program, 0o755)
    return program
  }
  const here = async () => {
    const file = await home.add(hello)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/home/user/work', home.path))
  }
  const env = () => ({ PATH: `${join(home.path, 'bin')}:/usr/bin:/bin`, HOME: home.path })

  it('prints a command for the shell', async () => {
    const program = install(0)
    await here()
    expect((await home.remora(['resume', 'aaaa', '--print'])).out).toBe(
      `cd ${home.path} && ${program} --resume ${hello.id}\n`,
    )
    expect((await home.remora(['resume', 'aaaa', '--print', '--json', '--', '--debug'])).json()).toEqual({
      cwd: home.path,
      program,
      args: ['--resume', hello.id, '--debug'],
      env: {},
    })
  })

  it('runs the CLI in the session’s folder and returns its exit code', async () => {
    install(7)
    await here()
    expect((await home.remora(['resume', 'aaaa', '--', '--debug'], { env: env() })).code).toBe(7)
    expect(readFileSync(join(home.path, 'started'), 'utf8')).toBe(
      `${home.path}\n--resume\n${hello.id}\n--debug\n`,
    )
  })

  it('reports why a session cannot be resumed', async () => {
    expect(await home.remora(['resume', 'aaaa'])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^remora: Claude Code is not installed.*\n {2}Install it: /),
    })
    install(0)
    expect(await home.remora(['resume', 'aaaa'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^remora: The folder of this session does not exist: \/home\/user\/work\n {2}.*--print\n$/,
      ),
    })
    rmSync(join(home.path, '.claude'), { recursive: true })
    expect(await home.remora(['resume', 'aaaa'])).toMatchObject({
      code: 1,
      err: `remora: Claude Code deleted this session and cannot resume it\n  Restore it from the ledger: remora sessions restore ${hello.id}\n`,
    })
  })
})

describe('remora run --resume', () => {
  it('resolves id prefixes and names, and leaves the rest to the agent', async () => {
    await home.remora(['sessions', 'name', edit.id, 'the', 'bug'])
    const io = { env: {}, cwd: home.path, home: home.path, err: () => {} } as unknown as Io
    const gemini = [findAgent('gemini')!]
    expect(await findResumed('bbbb1111', gemini, io)).toBe(edit.id)
    expect(await findResumed('the bug', gemini, io)).toBe(edit.id)
    expect(await findResumed('unknown', gemini, io)).toBe('unknown')
    expect(await findResumed('latest', gemini, io)).toBe('latest')
  })
})

describe('remora follow', () => {
  it('imports new data, and refuses a second process', async () => {
    const stop = new AbortController()
    let out = ''
    let ready = (): void => {}
    let grew = (): void => {}
    const isReady = new Promise<void>((resolve) => (ready = resolve))
    const hasGrown = new Promise<void>((resolve) => (grew = resolve))
    const following = home.remora(['follow'], {
      stopped: () => stop.signal,
      out: (text) => {
        out += text
        if (out.includes('Press Ctrl+C to stop.')) ready()
        if (out.includes('dddd1111')) grew()
      },
    })
    await isReady
    expect(out).toMatch(
      /^Read 3 files, \d+ new events\. Importing new data into\n~\/\.remora\/ledger\.db\. Press Ctrl\+C to stop\.\n/,
    )
    expect(await home.remora(['follow'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^remora: The ledger is followed already, by remora follow \(process \d+ on .*\)\n {2}.+\n$/,
      ),
    })
    await home.add({ ...hello, id: 'dddd1111-0000-4000-8000-000000000006' })
    await hasGrown
    expect(out).toMatch(/\d\d:\d\d ~\/\.claude\/.*dddd1111.*\.jsonl \+\d+ events\n/)
    stop.abort('SIGINT')
    expect((await following).code).toBe(130)
  })
})
