import { describe, expect, it } from 'vitest'
import { testAnyScreen, emptyScreen, recordedScreen, recordedScreens } from '../screens.test-data.ts'
import { terminal } from './terminal.ts'

const screen = (name: string, version = '0.61.0') =>
  recordedScreen(import.meta.url, `screens/fixtures/${version}/${name.replace('/', '/screen-')}.txt`)
const read = (name: string, version?: string) => terminal.read(screen(name, version))
const versions = ['0.61.0', '0.34.0']
const all = recordedScreens(import.meta.url)
const labels = (name: string, version?: string) =>
  read(name, version).ask?.options.map(({ id, effect, keys }) => [id, effect, keys.join(' ')])

const allow = ['allow', 'allow', '1']
const answerText =
  'Here is how it goes:\n\n 1. Allow once is not a question here.\n 2. No, it is a list.\n\n' +
  'Then comes a sentence that is long enough to be wrapped by any terminal that has fewer than two hundred columns, and it goes on'

describe.each(versions)('the screen of Gemini CLI %s', (version) => {
  it('is idle with an empty input or with typed text', () => {
    expect(read('modes/default', version)).toMatchObject({ state: 'idle', mode: 'default', input: '' })
    expect(read('modes/typed', version)).toMatchObject({ state: 'idle', input: 'not sent yet' })
    expect(read('narrow/idle', version)).toMatchObject({ state: 'idle', mode: 'default', input: '' })
  })

  it('shows the mode and the model', () => {
    const modes = ['default', 'edits', 'plan', 'yolo'].map((name) => read(`modes/${name}`, version).mode)
    expect(modes).toEqual(['default', 'acceptEdits', 'plan', 'bypassPermissions'])
    expect(read('modes/default', version).model).toMatch(/^Auto/)
    expect(read('modes/model-set', version).model).toBe('gemini-2.5-pro')
  })

  it('is working, with the subject of its thought and its text so far', () => {
    expect(read('working/thinking', version)).toMatchObject({
      state: 'working',
      subject: 'Weighing the options',
      input: '',
    })
    const streaming = read('working/streaming', version)
    expect(streaming).toMatchObject({ state: 'working', text: answerText })
    expect(streaming.subject).toBeUndefined()
    expect(read('narrow/streaming', version)).toMatchObject({ state: 'working', text: answerText })
    expect(read('failures/retry', version).state).toBe('working')
  })

  it('shows no text of the last turn while a message is queued', () => {
    const queued = read('working/queued', version)
    expect(queued).toMatchObject({ state: 'working', input: '' })
    expect(queued.text).toBeUndefined()
  })

  it('keeps the text of an interrupted answer', () => {
    expect(read('working/interrupted', version)).toMatchObject({ state: 'idle', text: answerText })
  })

  it('reads an answer longer than the screen, and an input of two lines', () => {
    const done = read('long/done', version)
    expect(done).toMatchObject({ state: 'idle', input: '' })
    expect(done.text).toMatch(/ 60\. Yes, this is point 60\.\n\nThat was all\.$/)
    expect(read('long/two-lines', version)).toMatchObject({ state: 'idle', input: 'one\ntwo' })
  })

  it('shows a failed turn', () => {
    expect(read('failures/error', version)).toMatchObject({
      state: 'error',
      error: expect.stringMatching(/^\[API Error: .*authentication credentials\..*\]$/),
      input: '',
    })
  })

  it('asks to approve a command', () => {
    const command =
      'touch a.txt && echo one two three four five six seven eight nine ten eleven twelve thirteen'
    for (const name of ['tools/shell', 'narrow/shell']) {
      const { state, ask, input } = read(name, version)
      expect(state).toBe('asking')
      expect(input).toBeUndefined()
      expect(ask).toMatchObject({ kind: 'permission', tool: 'Bash', input: { command } })
      expect(ask?.title).toMatch(/^Allow execution of/)
    }
    expect(labels('tools/shell', version)).toEqual([
      allow,
      ['allow_session', 'allow_always', '2'],
      ['deny', 'deny', '3'],
    ])
  })

  it('asks to approve a change, and marks a long one as cut', () => {
    const edit = read('tools/edit', version).ask
    expect(edit).toMatchObject({ kind: 'permission', tool: 'Edit', input: { file_path: 'long.txt' } })
    expect(edit?.body).toContain('3   ❯ 1. Yes\n4   ● 1. Allow once\n5 - line 5\n5 + line five')
    const write = read('tools/long-write', version).ask
    expect(write).toMatchObject({
      title: 'Apply this change?',
      tool: 'Write',
      input: { file_path: 'long.txt' },
    })
    expect(write?.body).toMatch(/^\.\.\. first \d+ lines hidden .*60 line 60$/s)
    expect(labels('tools/long-write', version)).toEqual([
      allow,
      ['allow_session', 'allow_always', '2'],
      ['modify', 'other', '3'],
      ['deny', 'deny', '4'],
    ])
  })

  it('asks to approve an MCP tool', () => {
    expect(read('tools/mcp', version).ask).toMatchObject({
      tool: 'mcp__desk__lookup',
      input: { key: 'colour' },
    })
    expect(labels('tools/mcp', version)).toEqual([
      allow,
      ['allow_session', 'allow_always', '2'],
      ['allow_server', 'allow_always', '3'],
      ['deny', 'deny', '4'],
    ])
  })

  it('asks a question with options and free text', () => {
    expect(read('questions/choice', version).ask).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      body: 'Red: Like fire\nBlue: Like water',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(labels('questions/choice', version)).toEqual([
      ['option-1', 'other', '1'],
      ['option-2', 'other', '2'],
      ['cancel', 'deny', 'Escape'],
    ])
    // A digit would become part of the typed text.
    expect(read('questions/choice-own', version).ask?.freeText?.before).toEqual([])
    expect(labels('questions/choice-own', version)?.[0]).toEqual(['option-1', 'other', 'Up Up Enter'])
  })

  it('asks several questions, one of them with several answers', () => {
    const chosen = read('questions/several-chosen', version).ask
    expect(chosen).toMatchObject({
      title: 'Which fruits?',
      body: expect.stringContaining('✓ Fruits │ □ Name'),
    })
    expect(chosen?.options.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['[x] Apple', '[ ] Pear', 'Done', 'Next question', 'Cancel (esc)']),
    )
    expect(chosen?.freeText).toBeUndefined()
    const done = version === '0.61.0' ? 'Down Down Down Down Enter' : 'Down Down Down Enter'
    expect(labels('questions/several', version)).toContainEqual(['done', 'allow', done])
    expect(read('questions/text', version).ask).toMatchObject({
      title: 'Your name?',
      freeText: { before: [], after: ['Enter'] },
    })
    expect(labels('questions/text', version)?.[0]).toEqual(['next', 'other', 'Tab'])
    expect(read('questions/review', version).ask?.body).toContain('Fruits → Apple')
    expect(labels('questions/review', version)?.[0]).toEqual(['submit', 'allow', 'Enter'])
  })

  it('asks whether a folder is trusted while its title is "Ready"', () => {
    expect(read('trust/folder', version)).toMatchObject({
      state: 'asking',
      ask: { kind: 'trust', title: 'Do you trust the files in this folder?' },
    })
    expect(labels('trust/folder', version)).toEqual([
      ['trust', 'allow_always', '1'],
      ['trust_parent', 'allow_always', '2'],
      ['deny', 'deny', '3'],
    ])
  })

  it('reads other dialogs', () => {
    expect(read('sign-in/dialog', version).ask).toMatchObject({
      kind: 'dialog',
      title: 'Get started',
      body: expect.stringContaining('Existing API key detected'),
    })
    expect(read('modes/model-dialog', version).ask).toMatchObject({ kind: 'dialog', title: 'Select Model' })
    expect(labels('modes/model-dialog', version)?.at(-1)).toEqual(['close', 'other', 'Escape'])
  })

  it('offers only closing for panels with more than one list', () => {
    expect(labels('panels/theme', version)).toContainEqual(['option-2', 'other', '2'])
    expect(read('panels/theme', version).ask).toMatchObject({ kind: 'dialog', title: 'Select Theme' })
    expect(read('panels/theme', version).ask?.options[0]?.label).toBe('ANSI Dark')
    for (const name of ['panels/editor', 'panels/settings']) {
      expect(labels(name, version)).toEqual([['close', 'other', 'Escape']])
    }
  })

  it('switches modes by keys, step by step', () => {
    const step = (name: string, wanted: 'default' | 'plan' | 'bypassPermissions', count = 0) =>
      terminal.switchMode(wanted, screen(`modes/${name}`, version), count)
    expect(step('default', 'plan')).toEqual({ keys: ['BTab'] })
    expect(step('plan', 'plan', 2)).toEqual({ done: true })
    expect(step('default', 'bypassPermissions')).toEqual({ keys: ['C-y'] })
    expect(step('yolo', 'plan')).toEqual({ keys: ['C-y'] })
    expect(step('edits', 'plan', 6)).toBeUndefined()
    expect(terminal.switchMode('plan', screen('tools/shell', version), 0)).toEqual({ wait: true })
    expect(terminal.switchMode('plan', screen('tools/shell', version), 20)).toBeUndefined()
  })

  it('switches the model by a command when it is idle', () => {
    const step = (name: string, count: number) =>
      terminal.switchModel('gemini-2.5-pro', screen(name, version), count)
    expect(step('modes/default', 0)).toEqual({ submit: '/model set gemini-2.5-pro' })
    expect(step('working/streaming', 0)).toEqual({ wait: true })
    expect(step('modes/model-set', 1)).toEqual({ done: true })
    expect(step('modes/model-dialog', 1)).toEqual({ keys: ['Escape'] })
    expect(step('modes/default', 4)).toBeUndefined()
    expect(terminal.switchModel('pro', screen('modes/model-set', version), 0)).toEqual({
      submit: '/model set pro',
    })
  })
})

describe('the screen of Gemini CLI', () => {
  it('has crashed if it shows only a stack trace, whatever its title', () => {
    const shown = screen('crash/crashed', '0.34.0')
    const { title, lines } = shown
    expect(title).toMatch(/Working/)
    const crashed = terminal.read(shown)
    expect(crashed).toMatchObject({ state: 'error', error: 'It has crashed: Invalid count value: -1' })
    expect(crashed.input).toBeUndefined()
    // A small window shows only the end of the trace.
    const end = lines.findLastIndex((line) => line !== '')
    expect(terminal.read({ ...shown, lines: lines.slice(end - 3) })).toMatchObject({
      state: 'error',
      error: 'It has crashed',
    })
    // An answer that quotes a crash is not a crash.
    const streamed = screen('working/streaming', '0.34.0')
    const at = streamed.lines.findIndex((line) => line.startsWith('✦'))
    const quoting = streamed.lines.toSpliced(
      at + 1,
      0,
      ...lines.slice(lines.indexOf('  ERROR  Invalid count value: -1')),
    )
    expect(terminal.read({ ...streamed, lines: quoting }).state).toBe('working')
  })

  it('asks to approve a plan and does not read a list in the plan as options', () => {
    expect(read('plan/approval').ask).toMatchObject({
      kind: 'plan',
      title: 'Ready to start implementation?',
      body: 'The plan\n\n 1. First do this\n 2. Then do that',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(labels('plan/approval')).toEqual([
      ['allow_session', 'allow_always', '1'],
      ['allow', 'allow', '2'],
      ['cancel', 'deny', 'Escape'],
    ])
  })

  it('is starting before anything is drawn, and after its output has ended', () => {
    expect(terminal.read(emptyScreen({ title: '◇  Ready (work)' }))).toEqual({ state: 'starting' })
    expect(terminal.read(emptyScreen()).state).toBe('starting')
    expect(read('modes/ended').state).toBe('starting')
  })

  it('waits for the user when the screen is unknown', () => {
    expect(terminal.read(emptyScreen({ title: '✋  Action Required (work)' }))).toMatchObject({
      state: 'asking',
      ask: { kind: 'dialog', options: [{ id: 'cancel' }] },
    })
  })

  it('reads versions without a row for the mode', () => {
    const old = all.filter(({ name }) => name.startsWith('fixtures/0.27.4/'))
    expect(old.map(({ name, screen: each }) => [name.split('/').at(-1), terminal.read(each).state])).toEqual(
      old.map(({ name }) => [name.split('/').at(-1), name.includes('asking') ? 'asking' : 'idle']),
    )
  })

  it('asks only in dialogs, not for lists in answers and changes', () => {
    const asks = all.filter(({ screen: each }) => terminal.read(each).state === 'asking')
    const dialogs =
      /asking|panels|tools\/screen-(?:shell|long-write|edit|mcp)\.txt|questions\/|approval|folder|dialog|narrow\/screen-shell/
    expect(asks.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).filter((name) => dialogs.test(name)),
    )
  })

  it('reads the input line without a frame of a terminal with few colours', () => {
    const recorded = all.find(({ name }) => name.endsWith('0.61.0/hello/screen-idle.txt'))!.screen
    const lines = recorded.lines
      .map((line) => (/^\s?[▀▄]{20,}$/.test(line) ? '' : line))
      .filter((line) => line !== '')
    expect(terminal.read({ ...recorded, lines })).toMatchObject({ state: 'idle', input: '' })
    const typed = lines.map((line) => line.replace(/^ > .*$/, ' > not sent yet'))
    expect(terminal.read({ ...recorded, lines: typed })).toMatchObject({
      state: 'idle',
      input: 'not sent yet',
    })
  })

  testAnyScreen(terminal, import.meta.url, 'pro')
})

describe('starting Gemini CLI on a terminal', () => {
  const args = (...request: Parameters<typeof terminal.invocation>) => terminal.invocation(...request).args

  it('passes a prompt, a session id and more arguments', () => {
    const request = { prompt: '-x', sessionId: 's', extraArgs: ['--debug'] }
    expect(args(request, '0.61.0')).toEqual(['--session-id', 's', '--debug', '--prompt-interactive=-x'])
    expect([terminal.choosesSession('0.61.0'), terminal.choosesSession('0.34.0')]).toEqual([true, false])
  })

  it('refuses options that the version does not support', () => {
    expect(() => args({ sessionId: 's' }, '0.34.0')).toThrow('sessionId')
    expect(() => args({ effort: 'high' }, '0.61.0')).toThrow('effort')
    expect(() => args({ hooks: { BeforeTool: 'true' } }, '0.61.0')).toThrow('hooks')
    expect(args({ hooks: {} }, '0.61.0')).toEqual([])
  })

  it('finds the session that a command line names', () => {
    const id = '00000001-0000-4000-8000-000000000000'
    expect(terminal.findSessionId?.(['--resume', id])).toBe(id)
    expect(terminal.findSessionId?.([`--session-id=${id}`])).toBe(id)
    expect(terminal.findSessionId?.(['--resume', 'latest'])).toBeUndefined()
    expect(terminal.findSessionId?.(['-r'])).toBeUndefined()
    expect(terminal.findSessionId?.([])).toBeUndefined()
  })

  it('names files as the CLI does', () => {
    expect(terminal.mention('/a/b c.png')).toBe('@/a/b\\ c.png')
  })
})
