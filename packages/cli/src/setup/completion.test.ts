import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openLedger } from '@remora/ledger'
import { agents } from '@remora/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestHome, edit, hello } from '../sessions/home.test-data.ts'

let home: TestHome
beforeAll(async () => {
  home = new TestHome()
  await home.add(hello)
  await home.add(edit)
  await home.remora(['import', '--no-index'])
  const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
  const live = { id: 'l-abc123', agent: 'gemini', session: edit.id }
  await ledger.append([], { marks: { 'server/live/l-abc123': live } })
  await ledger.close()
})
afterAll(() => home[Symbol.dispose]())

const complete = async (...words: string[]) => {
  const { code, out } = await home.remora(['completion', 'words', '--', ...words])
  expect(code).toBe(0)
  return out.split('\n').filter(Boolean)
}

const agentsWith = (start: string) =>
  agents()
    .map(({ id }) => id)
    .filter((id) => id.startsWith(start))

describe('remora completion words', () => {
  it.each([
    [['run', ''], agents().map(({ id }) => id)],
    [['run', 'c'], agentsWith('c')],
    [['doctor', 'gemini', 'k'], agentsWith('k')],
    [['sessions', '--agent', 'g'], ['gemini']],
    [['sessions', '-a', 'g'], ['gemini']],
    [['run', 'gemini', '--mode', 'p'], ['plan']],
    [['run', 'gemini', '--mode=p'], ['--mode=plan']],
    [['run', 'gemini', '--mode', '=', 'p'], ['plan']],
    [
      ['run', 'gemini', '--mode', '='],
      [
        'ask',
        'acceptEdits',
        'plan',
        'bypass',
        'default',
        'bypassPermissions',
        'auto_edit',
        'autoEdit',
        'yolo',
      ],
    ],
    [['run', 'gemini', '--model', ''], ['gemini-3.8-flash']],
    [['run', '--model', 'gem'], ['gemini-3.8-flash']],
    [
      ['show', ''],
      ['latest', edit.id, hello.id],
    ],
    [['show', 'bbbb'], [edit.id]],
    [['sessions', 'pin', 'aaaa'], [hello.id]],
    [['pin', 'aaaa'], [hello.id]],
    [['sessions', 'tr'], ['trace']],
    [['new', 'gemini', '--resume', 'bb'], [edit.id]],
    [
      ['send', ''],
      ['latest', 'l-abc123'],
    ],
    [['end', 'l-'], ['l-abc123']],
    [['send', 'latest', 'hello'], []],
    [['adopt', ''], []],
    [['data', 'backup', 'a'], []],
    [['show'], []],
  ] as [string[], string[]][])('completes %j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected)
  })

  it('lists no word that a shell would expand', async () => {
    const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
    await ledger.append([], { marks: { 'server/live/x': { id: 'l-$(touch x)', agent: 'a', session: 's' } } })
    expect(await complete('send', 'l-')).toEqual(['l-abc123'])
    await ledger.append([], { marks: { 'server/live/x': undefined } })
    await ledger.close()
  })

  it('creates nothing in an empty home', async () => {
    using empty = new TestHome()
    for (const words of [
      ['show', ''],
      ['run', '--model', ''],
      ['send', ''],
    ])
      await empty.remora(['completion', 'words', '--', ...words])
    expect((await empty.remora(['data', 'size'])).out).toContain('No ledger yet')
  })
})

it('completes in bash, with values from remora completion words', async () => {
  const { out: script } = await home.remora(['completion', 'bash'])
  const inBash = async (...words: string[]) => {
    const stub = `remora() { echo gemini; echo plan; echo "asked:$*" | tr ' ' ,; }`
    const line = `COMP_WORDS=(remora ${words.join(' ')}); COMP_CWORD=${words.length}`
    const { stdout } = await promisify(execFile)('bash', [
      '--norc',
      '-c',
      `${script}\n${stub}\n${line}; _remora; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ])
    return stdout.split('\n').filter(Boolean)
  }
  expect(await inBash('sessi')).toEqual(['sessions'])
  expect(await inBash('run', 'ge')).toEqual(['gemini'])
  expect(await inBash('run', 'gemini', '--mo')).toEqual(['--mode', '--model'])
  expect(await inBash('run', 'gemini', '--mode', 'pl')).toEqual(['plan'])
  expect(await inBash('show', 'asked')).toEqual(['asked:completion,words,--,show,asked'])
})
