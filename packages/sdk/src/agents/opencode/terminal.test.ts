import { describe, expect, it } from 'vitest'
import type { Screen } from '../../contract/agent.ts'
import { emptyScreen, recordedScreen, testAnyScreen } from '../screens.test-data.ts'
import { terminal } from './terminal.ts'

const here = import.meta.url
const screen = (name: string) => recordedScreen(here, `screens/fixtures/1.18.33/${name}.txt`)
const read = (name: string) => terminal.read(screen(name))
const askOn = (name: string) => read(name).ask
const listOptions = (name: string) =>
  askOn(name)?.options.map(({ id, effect, keys }) => [id, effect, ...keys])

/** The text under a click. */
function clicked(shown: Screen, key: string | undefined): string | undefined {
  const [, column, row] = /^Click:(\d+),(\d+)$/.exec(key ?? '') ?? []
  return shown.lines[Number(row) - 1]?.slice(Number(column) - 2)
}

describe('The command line of OpenCode on a terminal', () => {
  it('has the mode, the model, the session, the prompt and other arguments', () => {
    const { args } = terminal.invocation(
      { mode: 'plan', model: 'a/b', resume: 'ses_1', prompt: '--help me', extraArgs: ['--pure'] },
      '1.18.33',
    )
    expect(args).toEqual([
      '--agent',
      'plan',
      '--model',
      'a/b',
      '--session',
      'ses_1',
      '--prompt=--help me',
      '--pure',
    ])
  })

  it('allows edits by a variable', () => {
    expect(terminal.invocation({ mode: 'acceptEdits' }, undefined).env).toEqual({
      OPENCODE_PERMISSION: '{"edit":"allow"}',
    })
  })

  it('can choose neither the id of a session nor the effort', () => {
    expect(terminal.choosesSession(undefined)).toBe(false)
    expect(() => terminal.invocation({ sessionId: 'x' }, undefined)).toThrow(/sessionId/)
    expect(() => terminal.invocation({ effort: 'high' }, undefined)).toThrow(/effort/)
  })

  it('names the session that it resumes', () => {
    expect(terminal.findSessionId?.(['--session', 'ses_1'])).toBe('ses_1')
    expect(terminal.findSessionId?.(['-s', 'ses_1'])).toBe('ses_1')
    expect(terminal.findSessionId?.(['--session=ses_1'])).toBe('ses_1')
    expect(terminal.findSessionId?.(['--session', 'ses_1', '--fork'])).toBeUndefined()
    expect(terminal.findSessionId?.(['--continue'])).toBeUndefined()
  })

  it('names an image by its path', () => {
    expect(terminal.mention('/a.png')).toBe('@/a.png')
  })
})

describe('The screen of OpenCode', () => {
  it('is starting while it is empty', () => {
    expect(terminal.read(emptyScreen()).state).toBe('starting')
    expect(terminal.read(emptyScreen({ lines: ['something'] })).state).toBe('working')
  })

  it('is idle with an empty input, whatever its placeholder', () => {
    const idle = { state: 'idle', input: '', mode: 'default', model: 'Scripted Model Scripted' }
    expect(read('working/screen-home')).toEqual(idle)
    expect(read('narrow/screen-home')).toEqual(idle)
    expect(read('questions/screen-done')).toMatchObject(idle)
    expect(read('permissions/screen-denied')).toMatchObject(idle)
  })

  it('is idle beside the sidebar', () => {
    expect(read('wide/screen-done')).toMatchObject({ state: 'idle', input: '', mode: 'default' })
  })

  it('shows typed text that was not sent', () => {
    expect(read('working/screen-typed')).toMatchObject({ state: 'idle', input: 'half typed' })
    expect(read('models/screen-proposals')).toMatchObject({ state: 'idle', input: '/mod' })
  })

  it('is working, with the subject of its thought', () => {
    expect(read('working/screen-thinking')).toMatchObject({ state: 'working', subject: 'Planning the work' })
  })

  it('is working while an answer with a list streams', () => {
    const text =
      'You can choose between these, and each of them is explained in a line that is so long that it has to be broken:\n\n' +
      '1. Red\n2. Blue\n\nAllow once   Allow always   Reject'
    expect(read('working/screen-streaming')).toMatchObject({ state: 'working', text })
    expect(read('working/screen-queued')).toMatchObject({ state: 'working', text, input: '' })
    expect(read('working/screen-interrupted').state).toBe('idle')
  })

  it('shows the mode', () => {
    expect(read('working/screen-plan-mode').mode).toBe('plan')
  })

  it('is an error at the end of a failed turn', () => {
    expect(read('failures/screen-key')).toMatchObject({
      state: 'error',
      error: 'Incorrect API key provided: fake.',
      input: '',
    })
  })

  it('is working while it retries, with the reason', () => {
    expect(read('failures/screen-retrying')).toMatchObject({ state: 'working' })
    expect(read('failures/screen-retrying').subject).toMatch(/^The server had an error/)
  })
})

describe('Dialogs of OpenCode', () => {
  it('ask to approve a command, and are answered by mouse whatever is selected', () => {
    for (const name of ['permissions/screen-shell', 'narrow/screen-asking', 'wide/screen-asking']) {
      const ask = askOn(name)
      expect(ask).toMatchObject({
        kind: 'permission',
        title: 'Shell command',
        body: '$ touch a.txt',
        tool: 'Bash',
        input: { command: 'touch a.txt' },
      })
      expect(ask?.options.map(({ id, effect }) => [id, effect])).toEqual([
        ['allow', 'allow'],
        ['allow_always', 'allow_always'],
        ['deny', 'deny'],
      ])
      expect(clicked(screen(name), ask?.options[0]?.keys[0])).toMatch(/^Allow once/)
      expect(clicked(screen(name), ask?.options[1]?.keys[0])).toMatch(/^Allow always/)
      expect(ask?.options[2]?.keys).toEqual(['Escape'])
    }
  })

  it('ask for the scope of "always"', () => {
    const ask = askOn('permissions/screen-always')
    expect(ask).toMatchObject({ kind: 'permission', title: 'Always allow' })
    expect(ask?.body).toContain('- touch *')
    expect(clicked(screen('permissions/screen-always'), ask?.options[0]?.keys[0])).toMatch(/^Confirm/)
    expect(ask?.options[1]).toMatchObject({ id: 'cancel', keys: ['Escape'] })
  })

  it('ask what to do instead', () => {
    const lines = [
      '',
      '  ┃',
      '  ┃  △ Reject permission',
      '  ┃',
      '  ┃  Tell OpenCode what to do differently',
      '  ┃',
    ]
    const { ask } = terminal.read(emptyScreen({ lines }))
    expect(ask).toMatchObject({ title: 'Reject permission', freeText: { before: [], after: ['Enter'] } })
    expect(ask?.options.map(({ id, keys }) => [id, ...keys])).toEqual([
      ['deny', 'Enter'],
      ['cancel', 'Escape'],
    ])
  })

  it('ask to approve a file change, with the diff', () => {
    expect(askOn('permissions/screen-write')).toMatchObject({
      tool: 'Edit',
      input: { file_path: 'note.txt' },
    })
    expect(askOn('permissions/screen-edit')?.body).toMatch(/1 - hello\n\s*1 \+ bye/)
  })

  it('ask about other folders, pages and tools', () => {
    expect(askOn('permissions/screen-outside')).toMatchObject({ title: 'Access external directory /etc' })
    expect(askOn('tools/screen-mcp')).toMatchObject({ tool: 'desk_lookup' })
    expect(askOn('tools/screen-fetch')).toMatchObject({
      tool: 'WebFetch',
      input: { url: 'http://127.0.0.1:1/page' },
    })
  })

  it('have no command to decide by if it is cut, and an option to show more', () => {
    const ask = askOn('permissions/screen-long')
    expect(ask).toMatchObject({ tool: 'Bash' })
    expect(ask).not.toHaveProperty('input')
    expect(ask?.options.at(-1)).toMatchObject({ id: 'show', keys: ['C-f'] })
    const whole = askOn('permissions/screen-long-whole')
    expect(whole?.options.map(({ id }) => id)).toEqual(['allow', 'allow_always', 'deny'])
    expect(JSON.stringify(whole?.input)).toContain('line 39 of many')
  })

  it('ask questions of the model and accept free text', () => {
    expect(askOn('questions/screen-one')).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      tool: 'AskUserQuestion',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(listOptions('questions/screen-one')).toEqual([
      ['option-1', 'other', '1'],
      ['option-2', 'other', '2'],
      ['dismiss', 'deny', 'Escape'],
    ])
    expect(askOn('questions/screen-own')).toMatchObject({
      options: [{ id: 'back' }],
      freeText: { before: [], after: ['Enter'] },
    })
  })

  it('ask several questions with multiple choice and a review before sending', () => {
    expect(askOn('questions/screen-first')?.title).toBe('Which colour?')
    expect(askOn('questions/screen-second')?.title).toBe('Which fruits? (select all that apply)')
    expect(askOn('questions/screen-ticked')?.options.map(({ label }) => label)).toEqual([
      '[x] Apple',
      '[ ] Pear',
      'Next',
      'Dismiss',
    ])
    expect(askOn('questions/screen-review')).toMatchObject({
      title: 'Review',
      body: 'Colour: Red\nFruits: Apple',
    })
    expect(listOptions('questions/screen-review')).toEqual([
      ['submit', 'allow', 'Enter'],
      ['dismiss', 'deny', 'Escape'],
    ])
  })

  it('include those that the user opened', () => {
    expect(askOn('models/screen-all')).toMatchObject({ kind: 'dialog', title: 'Select model' })
    expect(listOptions('models/screen-all')).toEqual([['close', 'other', 'Escape']])
  })
})

describe('Switching OpenCode', () => {
  it('to plan and back presses a key', () => {
    expect(terminal.switchMode('plan', screen('working/screen-home'), 0)).toEqual({ keys: ['Tab'] })
    expect(terminal.switchMode('plan', screen('working/screen-plan-mode'), 1)).toEqual({ done: true })
    expect(terminal.switchMode('default', screen('working/screen-plan-mode'), 0)).toEqual({ keys: ['Tab'] })
    expect(terminal.switchMode('default', screen('working/screen-plan-mode'), 9)).toBeUndefined()
    expect(terminal.switchMode('default', emptyScreen(), 0)).toEqual({ wait: true })
  })

  it('to a mode that is fixed at the start is not possible', () => {
    expect(terminal.switchMode('bypassPermissions', screen('working/screen-home'), 0)).toBeUndefined()
    expect(terminal.switchMode('acceptEdits', screen('working/screen-home'), 0)).toBeUndefined()
  })

  it('to a model uses its list', () => {
    const model = (name: string, step: number) =>
      terminal.switchModel('scripted/other-model-2', screen(name), step)
    expect(model('working/screen-home', 0)).toEqual({ submit: '/models' })
    expect(model('working/screen-home', 1)).toEqual({ wait: true })
    expect(model('models/screen-all', 1)).toEqual({ keys: ['other model 2'] })
    const step = model('models/screen-some', 2)
    const [key] = step && 'keys' in step ? step.keys : []
    expect(clicked(screen('models/screen-some'), key)).toMatch(/Other Model 2/)
    expect(model('models/screen-set', 3)).toEqual({ done: true })
    expect(terminal.switchModel('other-model-2', screen('models/screen-set'), 0)).toEqual({ done: true })
  })

  it('to a model that is not on the list closes the list and fails', () => {
    expect(terminal.switchModel('a/b', screen('models/screen-some'), 2)).toEqual({ keys: ['Escape'] })
    expect(terminal.switchModel('a/b', screen('working/screen-home'), 3)).toBeUndefined()
  })
})

testAnyScreen(terminal, here, 'a/b')
