import type { Answer, Ask } from '@remora/protocol/plain'
import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import { type AskScreen, personAsks } from './person-asks.ts'

const ask: Ask = {
  id: 'connection/ask/1',
  kind: 'permission',
  title: 'Writing to note.txt',
  body: '/home/me/note.txt\n-old\n+new',
  toolUse: 'call',
  options: [
    { id: 'always', label: 'Allow for this session', effect: 'allow_always' },
    { id: 'once', label: 'Allow', effect: 'allow' },
    { id: 'no', label: 'Reject', effect: 'deny' },
  ],
  digest: 'd',
}

/** A user who types one of these lines at each question, and then nothing. */
function person(lines: readonly string[], inputs: Record<string, unknown> = {}) {
  const left = [...lines]
  let screen = ''
  const prompts: string[] = []
  const asked: AskScreen = {
    write: (text) => void (screen += text),
    getInput: (toolUse) => inputs[toolUse],
    shown: async () => {},
    answer: (prompt, signal) => {
      prompts.push(prompt)
      const line = left.shift()
      if (line !== undefined) return Promise.resolve(line)
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    },
  }
  const broker = personAsks(asked, createColors(false))
  return {
    prompts,
    screen: () => screen,
    put: (about: Ask, signal = new AbortController().signal): Promise<Answer> =>
      broker.ask(about, { agent: 'gemini', session: 's', signal }),
  }
}

describe('a question at the terminal', () => {
  it('prints the full request and the agent’s options', async () => {
    const { put, screen, prompts } = person(['2'])
    expect(await put(ask)).toEqual({ ask: ask.id, option: 'once', by: 'person', digest: 'd' })
    expect(screen()).toBe(`? Writing to note.txt
    Shown by the agent:
    │ /home/me/note.txt
    │ -old
    │ +new
  1  Allow for this session (a)
  2  Allow (y)
  3  Reject (n)
`)
    expect(prompts).toEqual(['Your choice (1-3, y, n, a) › '])
  })

  it.each([
    ['1', 'always'],
    ['3', 'no'],
    ['y', 'once'],
    ['N', 'no'],
    ['a', 'always'],
    ['once', 'once'],
  ])('is answered by %s', async (line, option) => {
    expect(await person([line]).put(ask)).toMatchObject({ option })
  })

  it('repeats the question after an invalid answer', async () => {
    const { put, screen } = person(['', '4', '0', 'yes, sure', 'y'])
    expect(await put(ask)).toMatchObject({ option: 'once' })
    expect(screen().match(/^Type one of: 1-3, y, n, a$/gm)).toHaveLength(4)
  })

  it('has keys only for offered options', async () => {
    const { put, prompts } = person(['y', '1'])
    const only = { ...ask, options: [{ id: 'x', label: 'Continue', effect: 'other' as const }] }
    expect(await put(only)).toMatchObject({ option: 'x' })
    expect(prompts[0]).toBe('Your choice (1) › ')
  })

  it('accepts free text if the agent does', async () => {
    expect(await person(['the blue one']).put({ ...ask, freeText: true })).toMatchObject({
      text: 'the blue one',
    })
    expect(await person(['as you like']).put({ ...ask, options: [] })).toMatchObject({ text: 'as you like' })
  })

  it('prints the command if the title does not', async () => {
    const { body: _, ...bare } = ask
    const shell = { ...bare, title: 'Run a command' }
    const { put, screen } = person(['y'], { call: { command: 'rm -r build\nmake \u001B[2Jall' } })
    await put(shell)
    expect(screen()).toContain(
      '? Run a command\n    Command:\n    │ rm -r build\n    │ make ⟨U+001B⟩[2Jall\n  1 ',
    )
    const seen = person(['y'], { call: { command: 'make' } })
    await seen.put({ ...ask, title: 'make', body: '' })
    expect(seen.screen().match(/make/g)).toHaveLength(1)
  })

  it('reports an answer from elsewhere', async () => {
    const { put, screen } = person([])
    const over = new AbortController()
    const answered = put(ask, over.signal)
    await new Promise(setImmediate)
    const answer: Answer = { ask: ask.id, option: 'no', by: 'person', digest: 'd' }
    over.abort(answer)
    await expect(answered).rejects.toBe(answer)
    expect(screen()).toMatch(/Answered elsewhere: Reject\n$/)
  })

  it('waits for the previous question, and is skipped if it is settled by then', async () => {
    const { put, screen } = person([])
    const [first, second] = [new AbortController(), new AbortController()]
    const answers = [put(ask, first.signal), put({ ...ask, id: 'b', title: 'Second' }, second.signal)]
    await new Promise(setImmediate)
    second.abort(new Error('late'))
    first.abort(new Error('stop'))
    await expect(answers[0]).rejects.toThrow('stop')
    await expect(answers[1]).rejects.toThrow('late')
    expect(screen()).toMatch(/Withdrawn\.\n$/)
    expect(screen()).not.toContain('Second')
  })
})
