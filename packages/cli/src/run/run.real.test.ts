import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Event } from '@remora/protocol'
import { loadScenario } from '@remora/scripted-model'
import { describe, expect, it, vi } from 'vitest'
import { type World, createWorld } from './world.test-data.ts'

/** Calls back once, when the agent has reported its command and the shell is running. */
function whenShellRuns(world: World, act: (child: { kill(signal: 'SIGINT'): boolean }) => void) {
  const sleeping = async () =>
    expect((await world.home.leftovers()).map(({ command }) => command)).toContainEqual(
      expect.stringMatching(/^sleep 300/),
    )
  let isReported = false
  return (out: string, child: { kill(signal: 'SIGINT'): boolean }): void => {
    if (isReported || !out.includes('sleep 300')) return
    isReported = true
    const go = (): void => act(child)
    vi.waitFor(sleeping, { timeout: 60_000, interval: 200 }).then(go, go)
  }
}

const resume = /· remora run gemini --resume [0-9a-f-]{36} "…"\n$/

describe('remora run', () => {
  it('prints text, tools and usage', async () => {
    await using world = await createWorld(['gemini'], await loadScenario('write-file'))
    const { code, out, err } = await world.remora([
      'run',
      'gemini',
      'Write note.txt.',
      '--mode',
      'acceptEdits',
    ])
    expect(code, err).toBe(0)
    expect(out).toBe('I will write the note.\n▸ Write note.txt ✓\nThe note is written.\n')
    expect(err).toMatch(/^gemini-.* · 1 tool call · \d+ in, \d+ out tokens · \d+\.\d s /)
    expect(err).toMatch(resume)
    expect(await readFile(join(world.home.cwd, 'note.txt'), 'utf8')).toBe('hello\nworld\n')
    expect(await world.home.leftovers()).toEqual([])
  })

  it('prints only events with --json, and resumes the named session', async () => {
    await using world = await createWorld(['gemini'])
    const first = await world.remora(['run', 'gemini', '--json'], { input: 'SAY: one' })
    expect(first).toMatchObject({ code: 0, err: '' })
    const events = first.out
      .trimEnd()
      .split('\n')
      .map((line) => Event.parse(JSON.parse(line)))
    expect(events[0]!.type).toBe('session')
    const { session } = events[0]!
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: true })
    expect(events).toContainEqual(expect.objectContaining({ type: 'text', text: 'one', agent: 'gemini' }))

    const second = await world.remora(['run', 'gemini', 'SAY: two', '-q', '--resume', session])
    expect(second).toEqual({ code: 0, out: 'two\n', err: '' })
    const last = world.model.requests.findLast(({ kind }) => kind === 'turn')
    expect(JSON.stringify(last?.body)).toContain('SAY: one')
  })

  it('prints structured output, after a retry if the first answer is invalid', async () => {
    const scenario = {
      name: 'numbers',
      title: 'A wrong answer, then a right one',
      prompt: 'Count.',
      turns: [[{ text: '{"count": "many"}' }], [{ text: 'Sorry. ```json\n{"count": 3}\n```' }]],
    }
    await using world = await createWorld(['gemini'], scenario)
    await writeFile(
      join(world.home.cwd, 'schema.json'),
      '{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}',
    )
    const { code, out, err } = await world.remora(['run', 'gemini', '-', '--schema', 'schema.json'], {
      input: 'Count.',
    })
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toEqual({ count: 3 })
    expect(err).toMatch(resume)
  })

  it('reports a failure in two lines', async () => {
    await using world = await createWorld(['gemini'])
    const { code, out, err } = await world.remora(['run', 'gemini', 'FAULT: 401', '--quiet'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^remora: .*authentication.*\n {2}Log in .*\n$/)
  })

  it('stops the agent and its children on Ctrl+C', async () => {
    await using world = await createWorld(['gemini'])
    const { code, out, err } = await world.remora(
      ['run', 'gemini', 'RUN: sleep 300', '--mode', 'bypassPermissions'],
      { watch: whenShellRuns(world, (child) => child.kill('SIGINT')) },
    )
    expect({ code, out }).toEqual({ code: 130, out: '▸ Bash sleep 300\n' })
    expect(err).toContain('remora: The run was cancelled\n')
    expect(err).toMatch(resume)
    expect(await world.home.leftovers()).toEqual([])
  })

  it('exits immediately on a second Ctrl+C, and the agent still stops', async () => {
    await using world = await createWorld(['gemini'])
    let again = false
    const { code, err } = await world.remora(
      ['run', 'gemini', 'RUN: trap "" TERM; sleep 300', '--mode', 'bypassPermissions'],
      {
        watch: whenShellRuns(world, (child) => child.kill('SIGINT')),
        // After a delay, because two signals at the same time count as one.
        watchErrors: (err, child) => {
          if (again || !err.includes('Ctrl+C again')) return
          again = true
          setTimeout(() => child.kill('SIGINT'), 60)
        },
      },
    )
    expect(code).toBe(130)
    expect(err).toBe('\nStopping the agent. Press Ctrl+C again to quit immediately.\n')
    await vi.waitFor(async () => expect(await world.home.leftovers()).toEqual([]), 60_000)
  })

  it('stops when its reader closes the pipe', async () => {
    await using world = await createWorld(['gemini'])
    const slow = `SLOW 200\nSAY: ${'word '.repeat(100)}`
    const { code, err } = await world.remora(['run', 'gemini', slow], {
      watch: (_, child) => child.stdout?.destroy(),
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(await world.home.leftovers()).toEqual([])
  })

  it('runs two agents side by side', async () => {
    await using world = await createWorld(['gemini', 'claude'])
    const { code, out, err } = await world.remora(['run', 'gemini,claude', 'SAY: one\nSAY: two'])
    expect(code, err).toBe(0)
    const lines = out.trimEnd().split('\n')
    for (const name of ['gemini', 'claude'])
      expect(lines.filter((line) => line.startsWith(`${name} │ `)).join(' ')).toMatch(/one.*two/)
    expect(lines.filter((line) => !/^(gemini|claude) │ /.test(line))).toEqual([])
    expect(err).toMatch(/^✓ gemini {2}gemini-.*\n✓ claude {2}claude-.*\n$/)
    expect(await world.home.leftovers()).toEqual([])
  })

  it('keeps the answer of one agent if another fails, and returns its exit code', async () => {
    await using world = await createWorld(['gemini'])
    const { code, out, err } = await world.remora(['run', 'kiro,gemini', 'SAY: hello', '--quiet'])
    expect({ code, out }).toEqual({ code: 3, out: 'kiro:\n\ngemini:\nhello\n\n' })
    expect(err).toMatch(/^remora: kiro: .*\n {2}.*\n$/)
  })
})
