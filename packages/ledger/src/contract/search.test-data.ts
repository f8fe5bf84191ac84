import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Ledger, SearchQuery } from '../model/ledger.ts'
import type { Bench } from './engine.test-data.ts'
import { Story, start } from './story.test-data.ts'

export function testSearch(bench: Bench): void {
  it('finds prompts, texts and calls, latest first', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append([
      ...story.record({ type: 'session', entity: 's', title: 'Parsing', cwd: '/code' }),
      ...story.prompt('walrus prompt'),
      ...story.says('walrus text'),
      ...story.record({ type: 'thinking', entity: 'th', offset: 0, text: 'walrus thought', final: true }),
      ...story.record({
        type: 'tool_use',
        entity: 't',
        name: 'Bash',
        input: { a: ['echo', { b: 'walrus' }], n: 1 },
      }),
      ...story.record({ type: 'tool_result', entity: 't', status: 'success', content: 'walrus output' }),
      ...story.record({
        type: 'tool_result',
        entity: 't2',
        status: 'success',
        content: [{ type: 'text', text: 'walrus block' }],
      }),
      ...story.record({
        type: 'tool_result',
        entity: 't3',
        status: 'success',
        display: { line: 'walrus shown' },
      }),
      ...story.record({
        type: 'error',
        entity: 'e',
        code: 'quota',
        message: 'walrus error',
        severity: 'error',
      }),
      ...story.record({
        type: 'message',
        entity: 'n',
        role: 'system',
        content: [{ type: 'text', text: 'walrus note' }],
      }),
      // Context is not searchable.
      ...story.record({
        type: 'message',
        entity: 'c',
        role: 'user',
        content: [{ type: 'text', text: 'walrus' }],
        context: true,
      }),
      ...story.record({ type: 'unknown', entity: 'u', what: 'walrus', raw: 'walrus' }),
    ])
    expect(await ledger.search({ text: 'walrus' })).toEqual([])
    expect(await ledger.indexText()).toEqual({ done: 12, total: 12 })
    const hits = await ledger.search({ text: 'Walrus' })
    expect(hits.map(({ kind }) => kind)).toEqual([
      'note',
      'note',
      'tool_result',
      'tool_result',
      'tool_result',
      'tool_use',
      'thinking',
      'text',
      'prompt',
    ])
    expect(hits.at(-1)).toEqual({
      ...story.key,
      seq: 2,
      entity: 'prompt 1',
      kind: 'prompt',
      at: start + 1000,
      snippet: 'walrus prompt',
      matches: [[0, 6]],
      title: 'Parsing',
      cwd: '/code',
    })
    expect((await ledger.search({ text: 'walrus', limit: 2 })).map(({ seq }) => seq)).toEqual([10, 9])
    expect(await ledger.search({ text: 'walrus', limit: 0 })).toEqual([])
  })

  it('finds words, phrases and prefixes in any script, and treats no input as query syntax', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const texts = {
      quick: 'The quick brown fox, jumps over fox_trot(src/index.ts) -- 100% "sure"',
      slow: 'The brown and slow snail. Café crème, naïve Über',
      russian: 'Съешь ещё этих мягких французских булок',
      chinese: '请修复解析器中的错误',
      thai: 'แก้ไขข้อผิดพลาด',
      korean: '오류를 고쳐 주세요',
    }
    for (const [entity, text] of Object.entries(texts)) await ledger.append(story.prompt(text, entity))
    await ledger.indexText()
    const found = async (text: string): Promise<string[]> =>
      (await ledger.search({ text })).map(({ entity }) => entity).reverse()
    expect(await found('brown')).toEqual(['quick', 'slow'])
    expect(await found('BROWN the')).toEqual(['quick', 'slow'])
    expect(await found('brown fox')).toEqual(['quick'])
    expect(await found('fox brown')).toEqual(['quick'])
    expect(await found('"brown fox"')).toEqual(['quick'])
    expect(await found('"fox brown"')).toEqual([])
    expect(await found('"brown fox')).toEqual(['quick'])
    expect(await found('the "slow snail" caf')).toEqual(['slow'])
    expect(await found('jum')).toEqual(['quick'])
    expect(await found('jum brown')).toEqual([])
    expect(await found('"jum"')).toEqual([])
    expect(await found('src/index.ts')).toEqual(['quick'])
    expect(await found('fox_trot(src')).toEqual(['quick'])
    expect(await found('cafe NAIVE uber')).toEqual(['slow'])
    expect(await found('ещё булок')).toEqual(['russian'])
    expect(await found('解析器')).toEqual(['chinese'])
    expect(await found('修复 错误')).toEqual(['chinese'])
    expect(await found('器析')).toEqual([])
    expect(await found('ข้อผิด')).toEqual(['thai'])
    expect(await found('오류')).toEqual(['korean'])
    for (const text of ['', ' ', '"', '""', '*', '()', '-', '\0', '. , ;', '🦭'])
      expect(await found(text)).toEqual([])
    expect(await found('text : brown')).toEqual([])
    expect(await found('brown NOT fox')).toEqual([])
    expect(await found('session:s1')).toEqual([])
    for (const text of [
      'brown*',
      '^brown',
      'brown)',
      '{brown}',
      '-brown',
      'brown"',
      "brown';--",
      'b\u0000rown brown',
    ])
      expect(await found(text), text).toEqual(text.startsWith('b\0') ? [] : ['quick', 'slow'])
    const endless = 'brown the '.repeat(5000)
    expect(await found(endless)).toEqual(['quick', 'slow'])
    expect(await found(`"${endless}"`)).toEqual([])
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^["*():^{}+\-ANDORT a-c]{0,20}$/)),
        async (text) => {
          expect(Array.isArray(await ledger.search({ text }))).toBe(true)
        },
      ),
      { numRuns: 80 },
    )
  })

  it('joins pieces, and replaces them by the final text', async () => {
    const ledger = await bench.open()
    const live = new Story({ channel: 'headless', source: 'run' })
    const piece = (offset: number, text: string, final?: true) =>
      live.record({ type: 'text', entity: 'm/0', message: 'm', offset, text, ...(final && { final }) })
    await ledger.append([...piece(0, 'The gira'), ...live.prompt('between')])
    await ledger.indexText()
    expect(await snippets(ledger, 'gira')).toEqual(['The gira'])
    await ledger.append(piece(8, 'ffe sle'))
    await ledger.append(piece(15, 'pt. '))
    await ledger.indexText()
    expect(await snippets(ledger, 'giraffe')).toEqual(['The giraffe slept. '])
    expect(await snippets(ledger, '"gira"')).toEqual([])
    await ledger.append(piece(12, 'walked.', true))
    await ledger.indexText()
    expect(await snippets(ledger, 'giraffe')).toEqual(['The giraffe walked.'])
    expect(await snippets(ledger, 'slept')).toEqual([])
    // The transcript has another text for the entity, and then the same text again.
    const file = new Story()
    await ledger.append([...file.says('The giraffe walked.', 'f'), ...file.says('The giraffe walked.', 'f')])
    await ledger.indexText()
    expect(await snippets(ledger, 'giraffe')).toEqual(['The giraffe walked.'])
    await ledger.append(file.says('The giraffe ran.', 'f'))
    await ledger.indexText()
    expect(await snippets(ledger, 'giraffe')).toEqual(['The giraffe ran.', 'The giraffe walked.'])
  })

  it('uses the best source of a text that several report in pieces', async () => {
    const ledger = await bench.open()
    const [acp, hooks] = [
      new Story({ channel: 'acp', source: 'a' }),
      new Story({ channel: 'hooks', source: 'h' }),
    ]
    await ledger.append([
      ...hooks.record({ type: 'text', entity: 't', offset: 0, text: 'hooked ' }),
      ...acp.record({ type: 'text', entity: 't', offset: 0, text: 'zebra ' }),
      ...hooks.record({ type: 'text', entity: 't', offset: 7, text: 'zebra' }),
      ...acp.record({ type: 'text', entity: 't', offset: 6, text: 'stripes' }),
    ])
    await ledger.indexText()
    expect(await snippets(ledger, 'zebra')).toEqual(['zebra stripes'])
  })

  it('finds text in the record of another event, and slash commands', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const text = `a long word about the capybara ${'and more '.repeat(100)}`
    const events = [
      story.event({ type: 'status', entity: 'x', status: 'working', raw: { text } }),
      story.event({ type: 'tool_result', entity: 't', status: 'success', content: text }),
    ]
    const content = [{ type: 'slash_command' as const, command: '/capybara', args: 'now' }]
    await ledger.append([
      { events },
      ...story.record({ type: 'message', entity: 'c', role: 'user', content }),
    ])
    await ledger.indexText()
    expect((await ledger.search({ text: 'capybara' })).map(({ entity }) => entity)).toEqual(['c', 't'])
  })

  it('searches only matching sessions', async () => {
    const ledger = await bench.open()
    const places = { one: '/code', two: '/code/sub', three: '/other' }
    for (const [session, cwd] of Object.entries(places)) {
      const story = new Story({ session, agent: session === 'two' ? 'gemini' : 'claude' })
      const at = session === 'three' ? start + 100_000 : start
      await ledger.append([
        ...story.record({ type: 'session', entity: 's', cwd }),
        ...story.record({
          type: 'message',
          entity: 'p',
          role: 'user',
          content: [{ type: 'text', text: 'otter' }],
          at,
        }),
      ])
    }
    await ledger.indexText()
    const sessions = async (query: Omit<SearchQuery, 'text'>): Promise<string[]> =>
      (await ledger.search({ text: 'otter', ...query })).map(({ session }) => session)
    expect(await sessions({})).toEqual(['three', 'two', 'one'])
    expect(await sessions({ agent: 'claude' })).toEqual(['three', 'one'])
    expect(await sessions({ cwd: '/code' })).toEqual(['two', 'one'])
    expect(await sessions({ since: start + 1 })).toEqual(['three'])
    expect(await sessions({ agent: 'none' })).toEqual([])
    await ledger.annotate({ agent: 'claude', session: 'three' }, { hidden: true })
    expect(await sessions({})).toEqual(['two', 'one'])
    expect(await sessions({ hidden: true })).toEqual(['three', 'two', 'one'])
  })

  it('finds everything although the same text was reported many times', async () => {
    const ledger = await bench.open()
    for (let session = 0; session < 250; session++) {
      const story = new Story({ session: `${session}`, agent: session % 2 === 0 ? 'claude' : 'gemini' })
      await ledger.append([...story.prompt('lynx'), ...story.prompt('lynx'), ...story.prompt('lynx too')])
    }
    await ledger.indexText()
    expect(await ledger.search({ text: 'lynx', limit: 1000 })).toHaveLength(500)
    expect(await ledger.search({ text: 'lynx', limit: 300 })).toHaveLength(300)
    expect(await ledger.search({ text: 'lynx', agent: 'claude', limit: 1000 })).toHaveLength(250)
    expect(await ledger.search({ text: 'lynx', since: start, limit: 1000 })).toHaveLength(500)
  })

  it('finds a rewritten text at its first time', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const [first] = story.says('a parrot')
    await ledger.append([first!])
    const [again] = story.says('a parrot')
    await ledger.append([again!])
    await ledger.indexText()
    const hits = await ledger.search({ text: 'parrot' })
    expect(hits.map(({ at }) => at)).toEqual([first!.events.find(({ type }) => type === 'text')!.at])
  })

  it('shows the text around a match and masks secrets', async () => {
    const ledger = await bench.open()
    const story = new Story()
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuv'
    const filler = 'lorem ipsum dolor sit amet '.repeat(40)
    await ledger.append([
      ...story.says(`${filler}\nthe badger\tdigs ${filler}`),
      ...story.says(`export KEY=${key} # badger`),
      ...story.says(
        `-----BEGIN RSA PRIVATE KEY-----\n${'badgerbase64/+\n'.repeat(60)}-----END RSA PRIVATE KEY----- badger`,
      ),
    ])
    await ledger.indexText()
    const [pem, secret, long] = await ledger.search({ text: 'badger' })
    expect(long!.snippet).toMatch(/^…\S.* amet {2}the badger digs lorem .*…$/)
    expect(long!.matches.map(([from, to]) => long!.snippet.slice(from, to))).toEqual(['badger'])
    expect(secret!.snippet).toBe('export KEY=[secret] # badger')
    expect(secret!.matches).toEqual([[22, 28]])
    expect(pem!.snippet).toBe('[secret] badger')
    const [found] = await ledger.search({ text: key })
    expect(found!.snippet).toBe('export KEY=[secret] # badger')
    expect(found!.matches).toEqual([])
    // The ledger itself stores the exact text.
    expect(JSON.stringify((await ledger.read()).events)).toContain(key)
  })

  it('builds the index in steps, can be interrupted, and continues', async () => {
    const place = await bench.engine.place()
    const ledger = await bench.open(place)
    const story = new Story()
    const filler = 'marten '.repeat(60_000)
    for (let index = 0; index < 24; index++) await ledger.append(story.says(`${filler} number${index}`))
    const abort = new AbortController()
    const steps: number[] = []
    const stopped = await ledger.indexText({
      signal: abort.signal,
      onProgress: ({ done, total }) => {
        expect(total).toBe(24)
        steps.push(done)
        abort.abort()
      },
    })
    expect(steps).toEqual([stopped.done])
    expect(stopped.done).toBeLessThan(24)
    expect(await ledger.search({ text: 'number0' })).toHaveLength(1)
    expect(await ledger.search({ text: 'number23' })).toHaveLength(0)
    await ledger.close()
    const again = await bench.open(place)
    const others = await bench.open(place)
    await Promise.all([again.indexText(), others.indexText()])
    expect(await again.search({ text: 'marten', limit: 100 })).toHaveLength(24)
    expect(await again.search({ text: 'number23' })).toHaveLength(1)
  })
}

async function snippets(ledger: Ledger, text: string): Promise<string[]> {
  return (await ledger.search({ text })).map(({ snippet }) => snippet)
}
