import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { OpenSession, openLedger } from '@remora/ledger'
import { type Ask, Message } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLongSession } from '../../../../ledger/src/contract/opening.test-data.ts'
import { TestHome, recordedDatabase, recordedFile } from '../home.test-data.ts'
import { fill } from '../trace/wired.test-data.ts'
import { findFile } from './conversation.ts'

// Recorded times are printed in local time.
process.env['TZ'] = 'UTC'

let home: TestHome
beforeEach(() => void (home = new TestHome()))
afterEach(() => home[Symbol.dispose]())

const session = {
  agent: 'claude',
  scenario: 'edit',
  id: 'aaaa1111-0000-4000-8000-000000000001',
  day: '2026-10-01',
} as const

const promptText = `› You 00:00
Write plan.txt, then change it.
`

describe('remora show of a bare file', () => {
  it.each([
    ['gemini', '0.61.0'],
    ['gemini', '0.34.0'],
    ['gemini', '0.27.4'],
    ['claude', '2.1.197'],
    ['codex', '0.166.0'],
  ] as const)('of %s %s is shown without a ledger and a home', async (agent, version) => {
    const recorded = recordedFile({ agent, version, scenario: 'edit' })
    const file = join(home.path, `bare${basename(recorded).replace('session', '')}`)
    copyFileSync(recorded, file)
    const { code, out, err } = await home.remora(['show', basename(file)])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(promptText)
    // The oldest format does not contain the folder, so the path is printed in full.
    expect(out).toMatch(/ {2}▸ Write (?:\/home\/user\/work\/)?plan\.txt ✓\n/)
    expect(out).toMatch(/ {2}▸ Edit (?:\/home\/user\/work\/)?plan\.txt ✓\n/)
    expect(out).toContain('    -second\n    +third\n')
    expect(out).toMatch(/The plan is changed\.\n$/)
    expect(out).not.toContain('session_context')
    const messages = (await home.remora(['show', file, '--json'])).json<unknown[]>()
    for (const message of messages) Message.parse(message)
    expect(messages.length).toBeGreaterThanOrEqual(4)
    await expect(async () => readFileSync(join(home.state, 'ledger.db'))).rejects.toThrow()
  })

  it('of OpenCode shows the latest session of the database', async () => {
    using database = recordedDatabase('edit')
    const { code, out } = await home.remora(['show', database.path])
    expect(code).toBe(0)
    expect(out).toMatch(/^A scripted conversation\nOpenCode /)
    expect(out).toContain('    -second\n    +third\n\nThe plan is changed.\n')
  })

  it('lists unreadable records', async () => {
    const file = join(home.path, 'broken.jsonl')
    const lines = readFileSync(recordedFile({ agent: 'claude', scenario: 'hello' }), 'utf8')
    writeFileSync(file, `${lines}{"half a rec\n`)
    const { code, out, err } = await home.remora(['show', file])
    expect(code).toBe(0)
    expect(out).toContain('Say hello.')
    expect(err).toMatch(
      /^1 record could not be read; the rest was imported:\n {2}~\/broken\.jsonl at byte \d+: /,
    )
  })

  it('refuses a file of an unknown format', async () => {
    writeFileSync(join(home.path, 'x.json'), '{"a": 1}')
    expect(await home.remora(['show', 'x.json'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^remora: .*x\.json is not a transcript of any agent that is known\n {2}Give the file/,
      ),
    })
  })

  it('reads arguments that look like paths as files', () => {
    const io = { cwd: home.path, home: '/home/me' }
    home.write(join(home.path, 'a.jsonl'), '')
    expect(findFile('a.jsonl', io)).toBe(join(home.path, 'a.jsonl'))
    expect(findFile('b.jsonl', io)).toBeUndefined()
    expect(findFile('latest', io)).toBeUndefined()
    expect(findFile('./b', io)).toBe(join(home.path, 'b'))
    expect(findFile('~/b', io)).toBe('/home/me/b')
  })
})

describe('remora show', () => {
  it('hides context of the CLI unless --all is set', async () => {
    await home.add({ ...session, agent: 'gemini' })
    expect((await home.remora(['show', 'latest'])).out).not.toContain('· Context')
    expect((await home.remora(['show', 'latest', '--all'])).out).toContain(
      '· Context 00:00\n<session_context>',
    )
  })

  it('shows only the last messages with --last', async () => {
    await home.add(session)
    const all = (await home.remora(['show', session.id, '--json'])).json<unknown[]>()
    const { out, code } = await home.remora(['show', session.id, '--last', '1'])
    expect(code).toBe(0)
    expect(out).toContain('last 1 message')
    expect(out).toMatch(/The plan is changed\.\n$/)
    expect(out).not.toContain(promptText)
    const last = (await home.remora(['show', session.id, '--last', '2', '--json'])).json<unknown[]>()
    expect(last).toEqual(all.slice(-2))
    const many = await home.remora(['show', session.id, '--last', '1000'])
    expect(many.out).toBe((await home.remora(['show', session.id])).out)
    for (const wrong of [
      ['--last', '0'],
      ['--last', 'few'],
      ['--last', '2', '--raw'],
    ])
      expect((await home.remora(['show', session.id, ...wrong])).code).toBe(2)
  })

  it('opens a long session at its end with --last', async () => {
    const story = createLongSession()
    const { key } = story
    {
      const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
      for (let turn = 0; turn < 300; turn++)
        await ledger.append([...story.hooks(turn), ...story.transcript(turn)])
      const whole = OpenSession.atStart({ ledger, key })
      await whole.readAll()
      expect(await whole.save(ledger)).toBe(true)
      await ledger.close()
    }
    const all = (await home.remora(['show', key.session, '--json'])).json<unknown[]>()
    const last = (await home.remora(['show', key.session, '--last', '20', '--json'])).json<unknown[]>()
    expect(last).toEqual(all.slice(-20))
    const { out } = await home.remora(['show', key.session, '--last', '20'])
    expect(out).toMatch(/^Do step 0\n/)
    expect(out).toContain('last 20 messages')
    expect(out).toMatch(/Done 299\n {2}\(incomplete\)\n$/)
  })

  it('shows thinking with --thinking, and errors always', async () => {
    await home.add({ ...session, agent: 'gemini', scenario: 'thoughts-only-then-text' })
    const without = (await home.remora(['show', 'latest'])).out
    const thoughts = (await home.remora(['show', 'latest', '--thinking'])).out
    expect(without).not.toContain('It is a simple one.')
    expect(thoughts).toContain('Looking at the question\nIt is a simple one.\n')
    await home.add({ ...session, scenario: 'fault-429', id: 'bbbb1111-0000-4000-8000-000000000002' })
    expect((await home.remora(['show', 'bbbb'])).out).toMatch(/\n! API Error: Request rejected \(429\)/)
  })

  it('prints the agent’s records unchanged', async () => {
    const file = await home.add(session)
    const { out } = await home.remora(['show', 'latest', '--raw'])
    const own = readFileSync(file, 'utf8').trimEnd().split('\n')
    for (const line of out.trimEnd().split('\n'))
      expect(own.map((each) => JSON.parse(each) as unknown)).toContainEqual(JSON.parse(line))
    expect(out.trimEnd().split('\n').length).toBeGreaterThan(4)
  })

  it('writes Markdown and HTML', async () => {
    await home.add(session)
    const markdown = (await home.remora(['show', 'latest', '--markdown'])).out
    expect(markdown).toMatch(
      /^# Write plan\.txt, then change it\.\n\n- Agent: Claude, `claude-opus-4-8`\n- Folder: `\/home\/user\/work`\n/,
    )
    expect(markdown).toContain('\n## You, 2026-10-01 00:00\n\nWrite plan.txt, then change it.\n')
    expect(markdown).toContain(
      '**Edit** `plan.txt` (success)\n\n```diff\n@@ -1,2 +1,2 @@\n first\n-second\n+third\n```\n',
    )
    const html = (await home.remora(['show', 'latest', '--html'])).out
    expect(html).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/)
    expect(html).toContain('<span class="old">-second\n</span><span class="new">+third\n</span>')
    expect(html).not.toMatch(/<script|<link|src="http|@import|url\(/)
    expect(html).toContain('prefers-color-scheme: dark')
  })

  it('stops when its reader closes the pipe', async () => {
    await home.add(session)
    const stop = new AbortController()
    let pieces = 0
    const out = () => {
      if (++pieces === 2) stop.abort('EPIPE')
    }
    const io = { out, stopped: () => stop.signal, drain: () => undefined }
    expect((await home.remora(['show', 'latest'], io)).code).toBe(0)
    expect(pieces).toBe(2)
  })

  it('prints no terminal control sequences', async () => {
    const file = await home.add(session)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(
        'Now the change.',
        'Now \\u001b]0;evil\\u0007\\u001b[2Jthe change.',
      ),
    )
    const { out } = await home.remora(['show', 'latest', '--color=never'], { terminal: true, columns: 80 })
    expect(out).toContain('Now the change.')
    expect(out).not.toContain('\u001B')
  })

  it('reports a pending question only while its process is running', async () => {
    const key = { agent: 'gemini', session: 'asked' }
    const origin = { channel: 'acp', source: 'connection', key: '1a.1' } as const
    const ask: Ask = { id: 'connection/ask/1', kind: 'permission', title: 'make', options: [], digest: 'd' }
    const at = Date.now()
    await fill(home.path, [
      {
        ...key,
        origin,
        at,
        type: 'message',
        entity: 'm',
        role: 'user',
        content: [{ type: 'text', text: 'Go' }],
      },
      { ...key, origin: { ...origin, key: '2a.1' }, at, type: 'ask', entity: ask.id, ask },
    ])
    const waits = async () => (await home.remora(['show', 'asked'])).out.includes('Waiting for you since')
    // A program may ask in its own way, without the ledger.
    expect(await waits()).toBe(true)
    const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
    try {
      await ledger.asks.open(key, ask)
      expect(await waits()).toBe(false)
      await ledger.leases.take('asks connection', { what: 'an agent', pid: process.pid }, 60_000)
      expect(await waits()).toBe(true)
    } finally {
      await ledger.close()
    }
  })
})

describe('remora watch', () => {
  const watching = async (words: string[], until: (out: string) => boolean, act?: () => void) => {
    const stop = new AbortController()
    let out = ''
    let acting: NodeJS.Timeout | undefined
    const result = home.remora(['watch', ...words], {
      stopped: () => stop.signal,
      out: (text) => {
        out += text
        if (until(out)) stop.abort('SIGINT')
      },
      // Repeatedly, because the watch does not print events from before it was ready.
      err: (text) => {
        if (act && text.includes('Watching')) acting = setInterval(act, 300)
      },
    })
    return { ...(await result.finally(() => clearInterval(acting))), out }
  }

  it('prints the same as show with --from start', async () => {
    await home.add(session)
    const { out, code } = await watching(['latest', '--from', 'start'], (text) =>
      text.includes('The plan is changed.'),
    )
    expect(code).toBe(130)
    const shown = (await home.remora(['show', 'latest'])).out
    expect(out.trimEnd()).toBe(shown.slice(shown.indexOf('› You')).trimEnd())
  })

  it('prints only new events by default', async () => {
    const file = await home.add(session)
    const records = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    let count = 0
    const next = () =>
      JSON.stringify({
        ...records.find(({ type }) => type === 'user'),
        parentUuid: records.findLast(({ type }) => type === 'assistant')!['uuid'],
        uuid: `ffff0000-0000-4000-8000-${String(count++).padStart(12, '0')}`,
        message: { role: 'user', content: 'And now?' },
      })
    const { out } = await watching(
      ['aaaa'],
      (text) => text.includes('And now?'),
      () => appendFileSync(file, `${next()}\n`),
    )
    expect(out).toBe('› You 00:00\nAnd now?\n')
  })

  it('prints one JSON event per line', async () => {
    await home.add(session)
    const { out } = await watching(['latest', '--from', 'start', '--json'], (text) =>
      text.includes('The plan is changed.'),
    )
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; session: string })
    expect(new Set(events.map(({ session: id }) => id))).toEqual(new Set([session.id]))
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['message', 'text', 'tool_use', 'tool_result']),
    )
  })
})
