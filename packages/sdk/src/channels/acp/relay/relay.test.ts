import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fold } from '@remora/protocol/fold'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gemini } from '../../../agents/gemini/index.ts'
import { isRunning } from '../../../process/owner.ts'
import { fakeAgent } from '../fake-agent/command.test-data.ts'
import { type Editor, relayed } from './relay.test-data.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-relay-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const linesIn = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean)

/** The agent's text that the editor received. */
const lastUpdateAt = (editor: Editor) =>
  editor.messages
    .map((message) => message['params'] as { update?: { sessionUpdate: string; content: { text: string } } })
    .filter((params) => params?.update?.sessionUpdate === 'agent_message_chunk')
    .map(({ update }) => update!.content.text)
    .join('')

describe('relayed messages', () => {
  it('are equal on both sides, byte for byte and in order', async () => {
    const record = join(folder, 'got')
    await using stage = relayed({ record, banner: 'Welcome!' })
    const { editor } = stage
    const session = await editor.open()
    const odd = [
      `{ "jsonrpc":"2.0",  "method":"x/unknown","params":{"text":"ä\u2028😀 \\u00e4"} }`,
      `{"id":"1.5","jsonrpc":"2.0","method":"session/dance","params":{"n":12345678901234567890}}`,
    ]
    for (const line of odd) editor.input.write(`${line}\n`)
    const { result } = await editor.prompt(session, 'garbage')
    expect(result).toEqual({ stopReason: 'end_turn' })
    expect(await linesIn(record)).toEqual(expect.arrayContaining(odd))
    const from = editor.lines.indexOf('Warning: this is no JSON')
    expect(editor.lines.slice(from, from + 8)).toEqual([
      'Warning: this is no JSON',
      '',
      '[1,2]',
      '42',
      'null',
      '"text"',
      '{"jsonrpc":"2.0"}',
      '{"broken": ',
    ])
    expect(editor.lines[0]).toBe('Welcome!')
    expect(lastUpdateAt(editor)).toBe('before;halves;after')
  })

  it('become events without gaps', async () => {
    await using stage = relayed()
    const { editor, events } = stage
    const session = await editor.open()
    await editor.prompt(session, 'say Hello\ntool-plain read a.txt\nunknown-update\nsay Done')
    const raws = events.flatMap(({ raw }) => (raw === undefined ? [] : [JSON.stringify(raw)]))
    for (const line of editor.lines) expect(raws).toContain(line)
    const keys = events.filter(({ raw }) => raw !== undefined).map(({ origin }) => origin.key)
    const numbers = keys.map((key) => parseInt(key)).toSorted((a, b) => a - b)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(new Set(events.map((event) => `${event.agent} ${event.session}`))).toEqual(
      new Set([`fake ${session}`]),
    )
    expect(events.find(({ type }) => type === 'unknown')).toMatchObject({ raw: { method: 'session/update' } })
    const [prompt, answer] = fold(events)
    expect(prompt).toMatchObject({ role: 'user' })
    expect(answer?.content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_result'])
  })

  it('are kept even if invalid, as soon as there is a session', async () => {
    await using stage = relayed({ banner: 'Welcome!' })
    await stage.editor.open()
    expect(stage.events).toContainEqual(
      expect.objectContaining({ type: 'unknown', what: 'text', raw: 'Welcome!' }),
    )
  })

  it('continue without a failed sink, which is reported once', async () => {
    const sink = { write: () => Promise.reject(new Error('The disk is full')) }
    await using stage = relayed({}, { sink })
    const session = await stage.editor.open()
    await stage.editor.prompt(session, 'say Hello')
    expect(lastUpdateAt(stage.editor)).toBe('Hello')
    expect(stage.logged).toEqual(['remora: Nothing is recorded any more: The disk is full\n'])
  })

  it('wait for a slow sink, one event at a time', async () => {
    let [writing, most, count] = [0, 0, 0]
    const sink = {
      async write() {
        most = Math.max(most, ++writing)
        await new Promise((resolve) => setImmediate(resolve))
        writing--
        count++
      },
    }
    await using stage = relayed({}, { sink })
    const session = await stage.editor.open()
    await stage.editor.prompt(session, 'chunks 2000')
    stage.editor.input.end()
    await stage.done
    expect(most).toBe(1)
    expect(count).toBeGreaterThan(2000)
  })

  it('wait for an editor that does not read', async () => {
    await using stage = relayed()
    const { editor, events } = stage
    const session = await editor.open()
    editor.output.pause()
    const done = editor.prompt(session, 'chunks 20000')
    let before = -1
    while (before !== events.length) {
      before = events.length
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(events.length).toBeLessThan(5000)
    editor.output.resume()
    await done
    expect(events.length).toBeGreaterThan(20_000)
  })

  it('exclude standard error, which is logged', async () => {
    await using stage = relayed({ noise: 'a warning' })
    await stage.editor.open()
    expect(stage.logged.join('')).toContain('a warning\n')
    expect(stage.editor.lines).not.toContain('a warning')
  })
})

describe('the end', () => {
  it('comes when the editor ends', async () => {
    await using stage = relayed()
    const session = await stage.editor.open()
    stage.editor.input.end()
    expect(await stage.done).toEqual({ by: 'editor', exit: { code: 0, signal: null }, problems: [] })
    expect(stage.events.at(-1)).toMatchObject({ type: 'status', status: 'ended', session })
  })

  it.each([{ stays: true }, { stays: true, stubborn: true }])(
    'comes for an agent that %j',
    async (behaviour) => {
      await using stage = relayed(behaviour)
      const session = await stage.editor.open()
      await stage.editor.prompt(session, 'children detached')
      const child = Number(/child (\d+)/.exec(lastUpdateAt(stage.editor))![1])
      expect(await isRunning({ pid: child })).toBe(true)
      stage.editor.input.end()
      expect(await stage.done).toMatchObject({ by: 'editor' })
      expect(await isRunning({ pid: child })).toBe(false)
    },
  )

  it('comes when the editor no longer reads', async () => {
    await using stage = relayed()
    await stage.editor.open()
    stage.editor.output.destroy()
    expect(await stage.done).toMatchObject({ by: 'editor' })
  })

  it('comes with the signal, also during a turn', async () => {
    await using stage = relayed({ stays: true })
    const session = await stage.editor.open()
    void stage.editor.prompt(session, 'say working\nhang')
    await stage.editor.wait(() => lastUpdateAt(stage.editor) === 'working')
    stage.stop.abort()
    expect(await stage.done).toMatchObject({ by: 'signal' })
  })

  it.each(['3', 'SIGKILL'])('of an agent that dies with %s is reported to waiting requests', async (how) => {
    await using stage = relayed()
    const { editor, events } = stage
    const session = await editor.open()
    const reply = await editor.prompt(session, `die ${how}`)
    const words = `fake has ended with ${how === '3' ? 'code 3' : how}`
    expect(reply).toMatchObject({ error: { code: -32603, message: words } })
    expect(await stage.done).toMatchObject({ by: 'agent' })
    expect(lastUpdateAt(editor)).toBe('I die')
    expect(stage.logged.join('')).toContain('fatal: the fake agent dies')
    expect(events).toContainEqual(expect.objectContaining({ type: 'done', ok: false }))
    expect(events).toContainEqual(expect.objectContaining({ type: 'error', code: 'crashed', message: words }))
    expect(events.at(-1)).toMatchObject({ type: 'status', status: 'ended' })
  })

  it('is an error if the agent cannot be started', async () => {
    const stage = relayed({}, { agent: { command: join(folder, 'no-such-agent') } })
    await expect(stage.done).rejects.toMatchObject({ code: 'agent_missing' })
  })
})

describe('a known agent', () => {
  /** The fake agent with its own name, behind a wrapper that keeps running when its stdin closes. */
  async function wrapped() {
    const { command, args = [] } = fakeAgent({ stays: true, record: join(folder, 'got') })
    const program = join(folder, 'wrapped-acp')
    await writeFile(program, `#!/bin/sh\nexec '${command}' '${args[0]}' '${args[1]}'\n`)
    await chmod(program, 0o755)
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'wrapped-acp', version: '1.0.0' }))
    const calls: unknown[] = []
    return {
      calls,
      agent: {
        ...gemini,
        id: 'wrapped',
        acp: {
          ...gemini.acp,
          wrappers: [
            {
              variable: 'WRAPPED_ACP_PATH',
              command: 'wrapped-acp',
              package: 'wrapped-acp',
              install: 'npm install -g wrapped-acp',
              drives: async () => ({ own: false }),
              part: {
                invocation: () => ({ args: [] }),
                quirks: () => ({ endBySignal: true, env: () => ({ WRAPPED: 'yes' }) }),
              },
            },
          ],
        },
        transcripts: {
          ...gemini.transcripts,
          protect: async (place: { cwd: string }, session: string, options: { way: string }) => {
            calls.push([session, place.cwd, options.way])
            if (session === 'lost') throw new Error('no room for a copy')
            const finish = async () => {
              calls.push('finished')
              return [{ code: 'stub', message: 'It left a stub', hint: 'It is gone now.' }]
            }
            return { id: session, finish }
          },
        },
      },
      env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder },
      home: folder,
    }
  }

  it('is found through its wrapper, and ended by a signal', async () => {
    const { agent, env, home } = await wrapped()
    await using stage = relayed({}, { agent, env, home })
    await stage.editor.open()
    stage.editor.input.end()
    expect(await stage.done).toMatchObject({ by: 'editor', exit: { signal: 'SIGTERM' } })
    expect(stage.events[0]).toMatchObject({ agent: 'wrapped' })
  })

  it('loads a session only when that is safe, and is checked when it has ended', async () => {
    const { agent, env, home, calls } = await wrapped()
    await using stage = relayed({}, { agent, env, home })
    const { editor } = stage
    await editor.open()
    const load = (sessionId: string) =>
      editor.request('session/load', { sessionId, cwd: '/home/me/work', mcpServers: [] })
    expect(await load('old')).toHaveProperty('result')
    expect(calls).toEqual([['old', '/home/me/work', 'acp']])
    expect(await load('lost')).toMatchObject({
      error: { message: expect.stringContaining('no room for a copy') },
    })
    expect((await linesIn(join(folder, 'got'))).filter((line) => line.includes('lost'))).toEqual([])
    editor.input.end()
    expect(await stage.done).toMatchObject({ problems: [{ code: 'stub' }] })
    expect(calls.at(-1)).toBe('finished')
  })

  it('is reported as missing if its wrapper is', async () => {
    const { agent } = await wrapped()
    const env = { PATH: join(folder, 'empty'), HOME: join(folder, 'empty') }
    const stage = relayed({}, { agent, env, home: env.HOME })
    await expect(stage.done).rejects.toMatchObject({
      code: 'agent_missing',
      message: expect.stringContaining('wrapped-acp'),
    })
  })
})
