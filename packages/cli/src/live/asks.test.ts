import { join } from 'node:path'
import { ledgerAsks } from '@remora/intake'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Answer, Ask, Event } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome } from '../sessions/home.test-data.ts'

let home: TestHome
let ledger: Ledger
const stop = new Set<AbortController>()
beforeEach(async () => {
  home = new TestHome()
  ledger = await openLedger({ file: join(home.state, 'ledger.db') })
})
afterEach(async () => {
  for (const each of stop) each.abort()
  stop.clear()
  // Waiting agents first withdraw their asks.
  await Promise.all(waiting.splice(0))
  await ledger.close()
  home[Symbol.dispose]()
})

const waiting: Promise<unknown>[] = []
const polling = { timeout: 60_000 }
const key = { agent: 'gemini', session: '0a1b2c3d-0000-4000-8000-000000000000' }
const connection = '9f8e7d6c-0000-4000-8000-000000000000'

function createAsk(count: number, more: Partial<Ask> = {}): Ask {
  return {
    id: `${connection}/ask/${count}`,
    kind: 'permission',
    title: 'Writing to note.txt',
    body: '/home/me/note.txt\n-old\n+new',
    options: [
      { id: 'proceed_always', label: 'Allow for this session', effect: 'allow_always' },
      { id: 'proceed_once', label: 'Allow', effect: 'allow' },
      { id: 'cancel', label: 'Reject', effect: 'deny' },
    ],
    digest: `digest ${count}`,
    ...more,
  }
}

/** Starts an agent that waits for an answer to its ask. */
async function startAsk(ask: Ask): Promise<{ answered: Promise<Answer> }> {
  const createHeader = (name: string) => ({
    ...key,
    entity: ask.id,
    origin: { channel: 'acp', source: connection, key: `${name} ${ask.id}.0` } as const,
    at: Date.now() - 5 * 60_000,
  })
  const prompt: Event = {
    ...createHeader('prompt'),
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text: 'Write it' }],
  }
  await ledger.append([{ events: [prompt] }, { events: [{ ...createHeader('ask'), type: 'ask', ask }] }])
  const controller = new AbortController()
  stop.add(controller)
  const answered = ledgerAsks(ledger).ask(ask, { ...key, signal: controller.signal })
  waiting.push(answered.catch(() => {}))
  const isProcessAlive = async () => (await ledger.asks.pending()).some((each) => each.ask.id === ask.id)
  await expect.poll(isProcessAlive, polling).toBe(true)
  return { answered }
}

const numbers = async () =>
  (await home.remora(['asks', '--json'])).json<{ number: string }[]>().map((each) => each.number)

describe('remora asks', () => {
  it('reports that no request is open', async () => {
    expect(await home.remora(['asks'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('No approval requests or questions.\n'),
    })
    expect((await home.remora(['asks', '--json'])).json()).toEqual([])
  })

  it('prints agent, request, age and options', async () => {
    await startAsk(createAsk(0))
    const [number] = await numbers()
    const { out, code } = await home.remora(['asks'])
    expect(code).toBe(0)
    expect(out).toBe(
      [
        `${number}  Writing to note.txt  Gemini 0a1b2c3d, 5 min ago`,
        '      Shown by the agent:',
        '      │ /home/me/note.txt',
        '      │ -old',
        '      │ +new',
        '      1. proceed_always · Allow for this session · always',
        '      2. proceed_once · Allow · allow',
        '      3. cancel · Reject · deny',
        `      Answer: remora answer ${number} <1, 2, 3>`,
        '',
      ].join('\n'),
    )
  })

  it('prints the tool and the command if title and body do not', async () => {
    const call = { tool: 'Bash', input: { command: 'rm -r build' } }
    await startAsk(createAsk(0, { title: 'Bash command', body: 'Cleans up', ...call }))
    expect((await home.remora(['asks'])).out).toContain(
      '\n      Command:\n      │ rm -r build\n      Shown by the agent:\n      │ Cleans up\n',
    )
    expect((await home.remora(['asks', '--json'])).json()).toMatchObject([call])
  })

  it('prints the same as JSON', async () => {
    const { options, ...ask } = createAsk(0)
    await startAsk({ ...ask, options })
    const [listed] = (await home.remora(['asks', '--json'])).json<Record<string, unknown>[]>()
    expect(listed).toMatchObject({
      ...key,
      ask: ask.id,
      title: ask.title,
      body: ask.body,
      options,
      waited: true,
    })
    expect(listed!['number']).toMatch(/^\d{4}$/)
  })

  it('filters by session and agent', async () => {
    await startAsk(createAsk(0))
    const count = async (...words: string[]) =>
      (await home.remora(['asks', '--json', ...words])).json<unknown[]>().length
    expect(await count('0a1b')).toBe(1)
    await ledger.append([], { marks: { 'server/live/l-7f3k9q': { id: 'l-7f3k9q', ...key } } })
    expect(await count('l-7f3k9q')).toBe(1)
    expect(await count('--agent', 'gemini')).toBe(1)
    expect(await count('--agent', 'claude')).toBe(0)
    expect((await home.remora(['asks', 'nope'])).code).toBe(1)
  })

  it('cuts a long change and removes control characters', async () => {
    const body = `\u001B[2J${Array.from({ length: 500 }, (_, index) => `+line ${index}`).join('\n')}`
    await startAsk(createAsk(0, { body }))
    const { out } = await home.remora(['asks'])
    const [, number] = /\([\d,]+ more characters: remora asks (\d+)\)/.exec(out) ?? []
    expect(out).toContain('⟨U+001B⟩[2J+line 0')
    expect(out).not.toContain('\u001B')
    // A cut request offers no way to allow it; one command prints all of it.
    expect(out).not.toContain('remora answer')
    const whole = (await home.remora(['asks', number!])).out
    expect(whole).toContain('│ +line 499\n')
    expect(whole).toContain(`Answer: remora answer ${number}`)
    expect((await home.remora(['asks', number!, '--json'])).json<{ body: string }[]>()).toMatchObject([
      { body },
    ])
  })

  it('hides requests of exited agents unless --all is set', async () => {
    await ledger.asks.open(key, createAsk(0))
    expect((await home.remora(['asks'])).err).toContain('1 request of exited agents: remora asks --all')
    expect((await home.remora(['asks', '--all'])).out).toContain(', agent exited')
    const [left] = (await home.remora(['asks', '--all', '--json'])).json<{ number: string }[]>()
    expect(await home.remora(['answer', left!.number, 'allow'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The agent that asked "Writing to note.txt" has exited'),
    })
  })

  it('prints new requests until it is stopped', async () => {
    const end = new AbortController()
    let out = ''
    const watching = home.remora(['asks', '--watch', '--json'], {
      stopped: () => end.signal,
      out: (text) => void (out += text),
    })
    await startAsk(createAsk(0))
    await expect.poll(() => out, polling).toContain('/ask/0')
    await startAsk(createAsk(1))
    await expect.poll(() => out, polling).toContain('/ask/1')
    end.abort('SIGINT')
    expect(await watching).toMatchObject({ code: 130 })
    expect(out.trim().split('\n')).toHaveLength(2)
  })
})

describe('remora answer', () => {
  it.each([
    ['allow', 'proceed_once'],
    ['deny', 'cancel'],
    ['always', 'proceed_always'],
    ['proceed_once', 'proceed_once'],
    ['reject', 'cancel'],
    ['3', 'cancel'],
  ])('takes %s for %s', async (word, option) => {
    const { answered } = await startAsk(createAsk(0))
    const [number] = await numbers()
    expect(await home.remora(['answer', number!, word])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Answered: Writing to note.txt: '),
    })
    expect(await answered).toMatchObject({
      option,
      by: 'person',
      device: 'remora answer',
      digest: 'digest 0',
    })
  })

  it('finds an ask by any unique part of its id', async () => {
    for (const count of [1, 2]) await startAsk(createAsk(count))
    expect(await home.remora(['answer', connection, 'allow'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /matches 2 requests\n {2}Choose one:\n {2}\d{4} {2}gemini: Writing to note.txt\n/,
      ),
    })
    const { code, json } = await home.remora(['answer', 'ask/2', 'allow', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({ ...key, answer: { ask: `${connection}/ask/2`, option: 'proceed_once' } })
    expect((await home.remora(['answer', connection, 'deny'])).code).toBe(0)
    expect(await numbers()).toEqual([])
  })

  it('reports an earlier answer', async () => {
    const { answered } = await startAsk(createAsk(0))
    const [number] = await numbers()
    const first: Answer = {
      ask: createAsk(0).id,
      option: 'cancel',
      by: 'person',
      device: 'editor',
      digest: 'digest 0',
    }
    await ledger.asks.answer(key, first)
    await answered
    expect(await home.remora(['answer', number!, 'allow'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('"Writing to note.txt" is already answered: Reject (by a person, editor)'),
    })
    expect(await ledger.asks.find(key, createAsk(0).id)).toMatchObject({ answer: first })
  })

  it('does not match a number with another ask', async () => {
    const { answered } = await startAsk(createAsk(0))
    const [number] = await numbers()
    await home.remora(['answer', number!, 'allow'])
    await answered
    await startAsk(createAsk(0, { digest: 'changed', title: 'rm -rf /' }))
    expect((await home.remora(['answer', number!, 'allow'])).code).toBe(1)
    expect(await numbers()).toHaveLength(1)
  })

  it('refuses unknown options and lists the offered ones', async () => {
    const two = { id: 'tool', label: 'Always this tool', effect: 'allow_always' } as const
    await startAsk(createAsk(0, { options: [...createAsk(0).options, two] }))
    const [number] = (await numbers()) as [string]
    const usage = async (...words: string[]) => {
      const { code, err } = await home.remora(['answer', number, ...words])
      expect(code).toBe(2)
      return err
    }
    expect(await usage('perhaps')).toContain(
      'This request has no option "perhaps"\n  One of:\n    1. proceed_always · ',
    )
    expect(await usage('5')).toContain('This request has no option "5"')
    expect(await usage('always')).toContain('"always" matches several options')
    expect(await usage()).toContain('The decision is missing')
    expect(await usage('--text', 'no')).toContain('takes no free-text answer')
    expect((await home.remora(['answer', '0000', 'allow'])).err).toContain('No open request "0000"')
  })

  it('trusts a folder only if it is allowed', async () => {
    const options = [
      { id: 'trust', label: 'Yes, I trust this folder', effect: 'allow_always' },
      { id: 'deny', label: 'No, exit', effect: 'deny' },
    ] as const
    const { answered } = await startAsk(createAsk(0, { kind: 'trust', options: [...options] }))
    const [number] = await numbers()
    expect((await home.remora(['answer', number!, 'yes'])).code).toBe(0)
    expect(await answered).toMatchObject({ option: 'trust' })
    await startAsk(createAsk(1, { options: [...options] }))
    const [other] = await numbers()
    expect((await home.remora(['answer', other!, 'yes'])).code).toBe(2)
  })

  it('accepts free text if the agent does', async () => {
    const { answered } = await startAsk(createAsk(0, { freeText: true }))
    const [number] = await numbers()
    expect((await home.remora(['answer', number!, '--text', 'the other one'])).code).toBe(0)
    expect(await answered).toMatchObject({ text: 'the other one' })
  })
})
