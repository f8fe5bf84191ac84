import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTmux, checkTmux, isRecent } from './run-tmux.ts'
import { toSessionName } from './tmux-command.ts'
import fc from 'fast-check'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp('/tmp/rt-')
  await runTmux({
    socket: join(folder, 's'),
    start: true,
    commands: [['new-session', '-d', '-s', 'x', 'cat']],
  })
})
afterAll(async () => {
  await runTmux({ socket: join(folder, 's'), commands: [['kill-server']] }).catch(() => {})
  await rm(folder, { recursive: true, force: true })
})

describe('quoteArgument', () => {
  it('keeps every text one argument', { timeout: 60_000 }, async () => {
    const nasty = fc.constantFrom(
      ...`\n|\r|;|\\;|"|'|\\|$HOME|\${HOME}|~|~root|#{pane_id}|#(touch pwned)|%if 1|{|}|#| |\t|\u001B|é|😀`.split(
        '|',
      ),
      '; kill-server',
      '\n kill-server \n',
      '\\u0041',
    )
    const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
    const texts = fc
      .sample(text, 150)
      .map((parts) => Buffer.from(parts.join('')).toString().replaceAll('\0', ''))
    const socket = join(folder, 's')
    // An option holds what it is given, and `show-options -v` of one line could not tell a line end from two options.
    const commands = texts.flatMap((value, index) => [['set-option', '-g', `@probe-${index}`, value]])
    await runTmux({ socket, commands })
    const mark = randomUUID()
    const shown = await runTmux({
      socket,
      commands: texts.flatMap((_, index) => [
        ['show-options', '-g', '-v', `@probe-${index}`],
        ['display-message', '-p', mark],
      ]),
    })
    expect(shown.split(`\n${mark}\n`)).toEqual([...texts, ''])
    expect((await readdir(folder)).filter((name) => name.includes('pwned'))).toEqual([])
  })

  it('makes a name that tmux does not change', () => {
    expect(toSessionName('a.b:c #(touch x)')).toBe('a_b_c___touch_x_')
    expect(toSessionName('')).toBe('remora')
  })
})

describe('checkTmux', () => {
  it('accepts the tmux of this machine', async () => {
    await expect(checkTmux()).resolves.toBeUndefined()
  })

  it('reads versions in all their forms', () => {
    for (const version of ['3.2', '3.2a', '3.3a', '3.10', '4.0', 'next-3.6', 'master']) {
      expect(isRecent(version), version).toBe(true)
    }
    for (const version of ['1.8', '2.9a', '3.0', '3.1c', 'next-3.1'])
      expect(isRecent(version), version).toBe(false)
  })
})
