import { describe, expect, it } from 'vitest'
import { unfinished } from '../../../../../testkit/src/recorder/screens/words.ts'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { readScreen } from '../../channels/terminal/reading.ts'
import { emptyScreen, recordedScreen, recordedScreens, testAnyScreen } from '../screens.test-data.ts'
import { terminal } from './terminal.ts'

const screen = (name: string) =>
  recordedScreen(import.meta.url, `screens/fixtures/0.24.4/${name.replace('/', '/screen-')}.txt`)
const read = (name: string) => terminal.read(screen(name))
const all = recordedScreens(import.meta.url)
const listOptions = (name: string) =>
  read(name).ask?.options.map(({ id, effect, keys }) => [id, effect, keys.join(' ')])

/** The first piece of the answer, with the list indented as the CLI shows it. */
const answerText = [unfinished.text].flat()[0]!.replaceAll(/^\d/gm, ' $&')

describe('the screen of Qwen Code', () => {
  it('is idle with an empty input or with typed text', () => {
    const idle = { state: 'idle', mode: 'default', model: 'scripted-model', input: '' }
    expect(read('modes/default')).toEqual(idle)
    expect(read('narrow/idle')).toEqual(idle)
    expect(read('modes/typed')).toEqual({ ...idle, input: 'not sent yet' })
    expect(read('long/two-lines')).toMatchObject({ state: 'idle', input: 'one\ntwo' })
  })

  it('shows the mode, and none where something else is in its place', () => {
    const modes = ['default', 'edits', 'auto', 'yolo', 'plan', 'set'].map(
      (name) => read(`modes/${name}`).mode,
    )
    expect(modes).toEqual(['default', 'acceptEdits', 'auto', 'bypassPermissions', 'plan', 'default'])
    for (const name of ['shell', 'completion', 'shortcuts'])
      expect(read(`modes/${name}`).mode).toBeUndefined()
  })

  it('shows the model of the default status line, and none of another one', () => {
    expect(read('models/set')).toMatchObject({ model: 'other-model' })
    const { lines, ...rest } = screen('models/set')
    const withStatus = (line: string) =>
      terminal.read({ ...rest, lines: lines.map((row) => (row.startsWith('  ➜ ') ? `  ${line}` : row)) })
        .model
    expect(withStatus('➜ work · git:(main) · qwen3-coder · 200.0k Context 0.1% used')).toBe('qwen3-coder')
    for (const line of ['➜ work · Ready', '➜ work · v0.24.4', '➜ work · Context 99% left', 'my own status'])
      expect(withStatus(line), line).toBeUndefined()
  })

  it('is in shell mode after an exclamation mark', () => {
    expect(read('modes/shell')).toMatchObject({ state: 'idle', input: '', shell: true })
    expect(read('modes/shell-typed')).toMatchObject({ state: 'idle', input: 'ls', shell: true })
  })

  it('is working, with its text so far', () => {
    expect(read('working/thinking')).toMatchObject({ state: 'working', input: '', mode: 'default' })
    expect(read('working/streaming')).toMatchObject({ state: 'working', text: answerText })
    expect(read('narrow/streaming')).toMatchObject({ state: 'working', text: answerText })
    expect(read('failures/retry')).toMatchObject({ state: 'working' })
    expect(read('working/queued').text).toBeUndefined()
  })

  it('is working while a prompt is in the queue, and whatever the title is', () => {
    const { lines, ...rest } = screen('modes/default')
    const queued = lines.map((row) => row.replace(/to cycle\)$/, '$& ⏳ 1 queued'))
    expect(terminal.read({ ...rest, lines: queued }).state).toBe('working')
    expect(terminal.read({ ...screen('working/streaming'), title: 'work' }).state).toBe('working')
    expect(terminal.read({ ...screen('narrow/streaming'), title: 'work' }).state).toBe('working')
  })

  it('keeps the text of an interrupted answer, and shows the prompt that is back in the input', () => {
    expect(read('working/interrupted')).toMatchObject({
      state: 'idle',
      interrupted: true,
      text: answerText,
      input: 'Talk.',
    })
    expect(read('working/listed').interrupted).toBeUndefined()
  })

  it('reads an answer with a list, and one that is longer than the screen', () => {
    expect(read('working/listed').text).toBe(
      'Do you want to proceed?\n\n 1. Yes\n 2. No, suggest changes (esc)\n\nThat was a list.',
    )
    expect(read('long/done').text).toMatch(/ 60\. Yes, this is point 60\.\n\nThat was all\.$/)
  })

  it('shows a failed turn, but not a refused command', () => {
    expect(read('failures/error')).toMatchObject({
      state: 'error',
      error: '[API Error: 401 Incorrect API key provided: fake.]',
      input: '',
    })
    expect(read('models/missing').state).toBe('idle')
  })

  it('is starting before it has an input, and after its end', () => {
    expect(terminal.read(emptyScreen()).state).toBe('starting')
    expect(read('modes/starting').state).toBe('starting')
    expect(read('modes/ended').state).toBe('starting')
  })

  it('asks only in dialogs', () => {
    const dialogs =
      /asking|panels|models\/screen-dialog|tools\/screen-(?:shell|long-write|edit|mcp|fetch)\.txt|commands\/|questions\/|approval|folder|sign-in|narrow\/screen-shell/
    const asks = all.filter(({ screen: each }) => terminal.read(each).state === 'asking')
    expect(asks.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).filter((name) => dialogs.test(name)),
    )
  })

  testAnyScreen(terminal, import.meta.url, 'other-model')
})

describe('a dialog of Qwen Code', () => {
  const allow = ['allow', 'allow', '1']

  it('asks to approve a command', () => {
    expect(read('tools/shell').ask).toMatchObject({
      kind: 'permission',
      title: "Allow execution of: 'touch'?",
      tool: 'Bash',
      input: {
        command:
          'touch a.txt && echo one two three four five six seven eight nine ten eleven twelve thirteen',
      },
    })
    expect(listOptions('tools/shell')).toEqual([
      allow,
      ['allow_project', 'allow_always', '2'],
      ['allow_user', 'allow_always', '3'],
      ['deny', 'deny', '4'],
    ])
  })

  it('has the command of several lines', () => {
    const command = "touch a.txt\ncat <<'EOF'\n  indented\n\nafter an empty line\nEOF"
    expect(read('commands/lines').ask).toMatchObject({ body: command, input: { command } })
    expect(read('commands/tip').ask?.input).toEqual({ command: 'touch a.txt # Tip: auto mode handles these' })
  })

  it.each(['commands/wrapped', 'commands/unbroken', 'commands/frames', 'commands/spaces', 'narrow/shell'])(
    'shows all rows of %s, and no command that it does not know for certain',
    (name) => {
      const { ask } = read(name)
      expect(ask).toMatchObject({
        kind: 'permission',
        tool: 'Bash',
        body: expect.stringMatching(/^\? Shell touch/),
      })
      expect(ask).not.toHaveProperty('input')
      expect(ask?.options.map(({ effect }) => effect)).toEqual([
        'allow',
        'allow_always',
        'allow_always',
        'deny',
      ])
    },
  )

  it('names no tool that has scrolled off the screen', () => {
    expect(read('commands/tall').ask).toMatchObject({
      kind: 'permission',
      body: expect.stringContaining('36 lines hidden'),
    })
    expect(read('commands/tall').ask).not.toHaveProperty('tool')
  })

  it('asks to approve a change, with its lines', () => {
    const edit = read('tools/edit').ask
    expect(edit).toMatchObject({ kind: 'permission', tool: 'Edit', input: { file_path: 'long.txt' } })
    expect(edit?.body).toContain('3   ❯ 1. Yes\n4   ● 1. Allow once\n5 - line 5\n5 + line five')
    expect(read('tools/long-write').ask).toMatchObject({ tool: 'Write', title: 'Apply this change?' })
    expect(listOptions('tools/edit')).toEqual([
      allow,
      ['allow_always', 'allow_always', '2'],
      ['deny', 'deny', '3'],
    ])
  })

  it('asks to approve an MCP tool and a page', () => {
    expect(read('tools/mcp').ask).toMatchObject({ tool: 'mcp__desk__lookup', input: { key: 'colour' } })
    expect(read('tools/fetch').ask).toMatchObject({
      tool: 'WebFetch',
      body: expect.stringMatching(/^Fetch content from/),
    })
  })

  it('asks a question with options and free text', () => {
    expect(read('questions/choice').ask).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      body: 'Colour\nRed: Like fire\nBlue: Like water',
      freeText: { before: ['3', 'C-u'], after: ['Enter'] },
    })
    expect(listOptions('questions/choice')).toEqual([
      ['option-1', 'other', '1'],
      ['option-2', 'other', '2'],
      ['cancel', 'deny', 'Escape'],
    ])
    // A digit would become part of the typed text.
    expect(listOptions('questions/choice-own')?.[0]).toEqual(['option-1', 'other', 'Up Up Enter'])
    expect(read('questions/choice-typed').ask?.freeText?.before).toEqual(['C-u'])
  })

  it('is the same ask while text is typed, since its keys are pressed one after the other', () => {
    const digest = (name: string) => readScreen(terminal, screen(name)).ask?.digest
    expect(digest('questions/choice-own')).toBe(digest('questions/choice'))
    expect(digest('questions/choice-typed')).toBe(digest('questions/choice'))
    expect(digest('questions/several-own')).toBe(digest('questions/several-chosen'))
  })

  it('asks several questions, one of them with several answers, and for a review', () => {
    expect(listOptions('questions/several')).toEqual([
      ['option-1', 'other', 'Space'],
      ['option-2', 'other', 'Down Space'],
      ['next', 'other', 'Right'],
      ['cancel', 'deny', 'Escape'],
    ])
    expect(read('questions/several-chosen').ask?.options.map(({ label }) => label)).toEqual([
      '[x] Apple',
      '[ ] Pear',
      'Done',
      'Next question',
      'Cancel (esc)',
    ])
    expect(listOptions('questions/several-own')).toContainEqual(['done', 'allow', 'Up Enter'])
    expect(read('questions/second').ask?.title).toBe('Which colour?')
    expect(read('questions/review').ask?.body).toContain('Fruits: Apple\nColour: Blue')
    expect(listOptions('questions/review')).toEqual([
      ['submit', 'allow', 'Enter'],
      ['cancel', 'deny', 'Down Enter'],
    ])
  })

  it('asks to approve a plan', () => {
    expect(read('plan/approval').ask).toMatchObject({
      kind: 'plan',
      input: { plan: 'The plan\n\n 1. First do this\n 2. Then do that' },
    })
    expect(listOptions('plan/approval')).toEqual([
      ['allow_previous', 'allow', '1'],
      ['allow_edits', 'allow_always', '2'],
      ['allow', 'allow', '3'],
      ['deny', 'deny', '4'],
    ])
  })

  it('asks whether a folder is trusted', () => {
    expect(read('trust/folder').ask).toMatchObject({ kind: 'trust', title: 'Do you trust this folder?' })
    expect(listOptions('trust/folder')).toEqual([
      ['trust', 'allow_always', '1'],
      ['trust_parent', 'allow_always', '2'],
      ['deny', 'deny', '3'],
    ])
  })

  it('of another kind has its own text', () => {
    const dialogs = {
      'sign-in/dialog': 'Connect a Provider',
      'panels/theme': 'Select Theme',
      'panels/approval-mode': 'Approval Mode',
      'panels/settings': 'Settings',
      'panels/permissions': 'Permissions:  Allow',
      'panels/help': 'Qwen Code',
    }
    for (const [name, title] of Object.entries(dialogs))
      expect(read(name).ask, name).toMatchObject({ kind: 'dialog', title })
    expect(listOptions('panels/approval-mode')?.[1]).toEqual(['option-2', 'other', '2'])
    expect(listOptions('panels/permissions')).toEqual([['close', 'other', 'Escape']])
  })
})

describe('switching Qwen Code', () => {
  const toMode = (wanted: string, name: string, step = 0) => terminal.switchMode(wanted, screen(name), step)

  it('presses a key if no mode on the way allows more', () => {
    expect(toMode('auto', 'modes/default')).toEqual({ keys: ['BTab'] })
    expect(toMode('default', 'modes/yolo')).toEqual({ keys: ['BTab'] })
    expect(toMode('acceptEdits', 'working/streaming')).toEqual({ keys: ['BTab'] })
    expect(toMode('default', 'modes/default', 2)).toEqual({ done: true })
    expect(toMode('auto', 'modes/default', 5)).toBeUndefined()
  })

  it('sends a command otherwise, when it is idle', () => {
    expect(toMode('plan', 'modes/default')).toEqual({ submit: '/approval-mode plan' })
    expect(toMode('plan', 'working/streaming')).toEqual({ wait: true })
    expect(toMode('default', 'modes/auto')).toEqual({ submit: '/approval-mode default' })
  })

  it('waits while the mode is not shown, and knows no other modes', () => {
    expect(toMode('plan', 'tools/shell')).toEqual({ wait: true })
    expect(toMode('plan', 'tools/shell', 20)).toBeUndefined()
    expect(toMode('dontAsk', 'modes/default')).toBeUndefined()
  })

  it('sends the model as a command, and reads the answer', () => {
    const toModel = (wanted: string, name: string, step: number) =>
      terminal.switchModel(wanted, screen(name), step)
    expect(toModel('other-model', 'modes/default', 0)).toEqual({ submit: '/model other-model' })
    expect(toModel('other-model', 'working/streaming', 0)).toEqual({ wait: true })
    expect(toModel('other-model', 'modes/default', 1)).toEqual({ wait: true })
    expect(toModel('other-model', 'models/set', 1)).toEqual({ done: true })
    expect(toModel('missing', 'models/missing', 1)).toBeUndefined()
  })
})

describe('starting Qwen Code on a terminal', () => {
  const args = (request: Parameters<typeof terminal.invocation>[0]) =>
    terminal.invocation(request, '0.24.4').args

  it('passes the mode, the session, the prompt and more arguments', () => {
    expect(args({ mode: 'plan', sessionId: 's', prompt: '-x', extraArgs: ['--bare'] })).toEqual([
      '--approval-mode',
      'plan',
      '--session-id',
      's',
      '--bare',
      '--prompt-interactive=-x',
    ])
    expect(args({ resume: 'r', fork: true })).toEqual(['--resume', 'r', '--fork-session'])
    expect(terminal.choosesSession('0.24.4')).toBe(true)
  })

  it('refuses options that it does not have', () => {
    expect(() => args({ effort: 'high' })).toThrow('effort')
    expect(() => args({ resume: 'r', fork: true, sessionId: 's' })).toThrow('sessionId')
    expect(() => args({ hooks: { Stop: 'true' } })).toThrow('hooks')
  })

  it('finds the session that a command line names', () => {
    const id = '00000001-0000-4000-8000-000000000000'
    expect(terminal.findSessionId?.(['--resume', id])).toBe(id)
    expect(terminal.findSessionId?.([`--session-id=${id}`])).toBe(id)
    expect(terminal.findSessionId?.(['-r', id, '--fork-session'])).toBeUndefined()
    expect(terminal.findSessionId?.(['--resume', 'my-title'])).toBeUndefined()
  })

  it('names files as the CLI does, and keeps text from running as a command', () => {
    expect(terminal.mention('/a/b c.png')).toBe('@/a/b\\ c.png')
    const { escapes } = terminal
    const encode = (text: string) => encodePrompt(text, 'text', { title: 'Qwen Code', escapes })
    for (const text of ['/clear', ' ?btw what', ':wq']) expect(encode(text)).toBe(`\u2060${text}`)
    expect(encode('!ls')).toBe(' !ls')
    expect(encode('what?')).toBe('what?')
  })
})
