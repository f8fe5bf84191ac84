import { describe, expect, it } from 'vitest'
import type { Mode } from '../../contract/agent.ts'
import { shellCommands } from '../../../../../testkit/src/recorder/screens/words.ts'
import { testAnyScreen, emptyScreen, recordedScreen, recordedScreens } from '../screens.test-data.ts'
import { getPlanSettings } from './arguments.ts'
import { terminal } from './terminal.ts'

const versions = ['2.1.326', '2.1.197'] as const
const getScreen = (version: string, name: string) =>
  recordedScreen(import.meta.url, `screens/fixtures/${version}/${name.replace('/', '/screen-')}.txt`)
const all = recordedScreens(import.meta.url)

const allow = ['allow', 'allow', '1']
const cancel = ['cancel', 'deny', 'Escape']
const close = ['close', 'other', 'Escape']
const said =
  'Here is how it goes:\n\n1. Allow once is not a question here.\n2. No, it is a list.\n\n' +
  'Then comes a sentence that is long enough to be wrapped by any terminal that has fewer than two hundred columns, and'

describe.each(versions)('the screen of Claude Code %s', (version) => {
  const isNew = version === '2.1.326'
  const screen = (name: string) => getScreen(version, name)
  const read = (name: string) => terminal.read(screen(name))
  const options = (name: string) =>
    read(name).ask?.options.map(({ id, effect, keys }) => [id, effect, keys.join(' ')])
  const switchMode = (key: string) => (isNew ? [['switch_mode', 'allow_always', key]] : [])

  it('is idle with an empty input, or with the text that was typed', () => {
    expect(read('modes/default')).toMatchObject({ state: 'idle', mode: 'default', input: '' })
    expect(read('modes/typed')).toMatchObject({ state: 'idle', mode: 'default', input: 'not sent yet' })
    expect(read('narrow/idle')).toMatchObject({ state: 'idle', input: '' })
  })

  it('shows the mode and the model', () => {
    const modes = ['default', 'edits', 'plan', 'auto'].map((name) => read(`modes/${name}`).mode)
    expect(modes).toEqual(['default', 'acceptEdits', 'plan', 'auto'])
    expect(read('modes/default').model).toBe(isNew ? 'Opus 5.5' : 'Opus 4.8 (1M context)')
    expect(read('modes/model-set').model).toBe(isNew ? 'Fable 5.2' : 'Sonnet 5')
    expect(read('modes/auto').text).toBeUndefined()
  })

  it.each([
    ['mode-unset', isNew ? 'auto' : 'default'],
    ['mode-manual', 'default'],
    ['mode-auto', 'auto'],
    ['mode-dont-ask', 'dontAsk'],
  ])('reads the mode in %s: %s', (play, mode) => {
    expect(read(`${play}/idle`).mode).toBe(mode)
  })

  it('is working, with the text of its answer so far', () => {
    expect(read('working/thinking')).toMatchObject({ state: 'working', input: '' })
    expect(read('working/thinking').text).toBeUndefined()
    expect(read('working/streaming')).toMatchObject({ state: 'working', text: said })
    expect(read('working/queued')).toMatchObject({ state: 'working', text: said, input: '' })
    expect(read('narrow/streaming')).toMatchObject({ state: 'working', text: said })
  })

  it('names the task that it works on, but not the random word of its spinner', () => {
    const { lines, ...rest } = screen('working/thinking')
    const working = (row: string) =>
      terminal.read({ ...rest, lines: lines.map((line) => (line.startsWith('✻ Working…') ? row : line)) })
    expect(working('✻ Working… (0s)').subject).toBeUndefined()
    expect(working('✶ Fixing the tests… (3s · ↓ 1 tokens)').subject).toBe('Fixing the tests')
  })

  it('keeps the text of an answer that was interrupted', () => {
    expect(read('working/interrupted')).toMatchObject({ state: 'idle', text: `${said} it goes on` })
  })

  it('reads an answer longer than the screen, and an input of two lines', () => {
    expect(read('long/done').text).toMatch(/60\. Yes, this is point 60\.\n\nThat was all\.$/)
    expect(read('long/two-lines')).toMatchObject({ state: 'idle', input: 'one\ntwo' })
  })

  it('leaves out the output of tools', () => {
    expect(read('tools/shell-done').text).toBe('Said.')
    expect(read('tools/denied')).toMatchObject({ state: 'idle', input: '' })
    expect(read('tools/denied').text).toBeUndefined()
  })

  it('shows why a turn failed', () => {
    expect(read('failures/sign-in')).toMatchObject({
      state: 'error',
      error: 'Not logged in · Please run /login',
      input: '',
    })
    expect(read('failures/error')).toMatchObject({ state: 'error', input: '' })
    expect(read('failures/error').error).toMatch(/^API Error: 500 Internal server error\./)
    expect(read('failures/error').text).toBeUndefined()
  })

  it('asks for a command', () => {
    const command =
      'touch a.txt && echo one two three four five six seven eight nine ten eleven twelve thirteen'
    expect(read('tools/shell').ask).toMatchObject({
      title: 'Do you want to proceed?',
      body: expect.stringContaining(command),
    })
    // A bar before the command may be a part of it.
    expect(read('tools/shell').ask?.input).toEqual(isNew ? undefined : { command })
    for (const name of ['tools/shell', 'narrow/shell']) {
      expect(read(name)).toMatchObject({ state: 'asking', ask: { kind: 'permission', tool: 'Bash' } })
      expect(read(name).input).toBeUndefined()
      const deny = ['deny', 'deny', isNew ? '4' : '3']
      expect(options(name)).toEqual([allow, ['allow_always', 'allow_always', '2'], ...switchMode('3'), deny])
    }
  })

  it.each(Object.entries(shellCommands))('gives the exact command or none: %s', (name, command) => {
    const { ask } = read(`command-${name}/shell`)
    expect(ask).toMatchObject({ kind: 'permission', title: 'Do you want to proceed?' })
    // Only one row shows a command for certain.
    const input = name === 'tip' ? { command } : undefined
    expect(ask?.input).toEqual(input)
    // Of a command longer than the screen only the end is visible.
    const cut = name === 'tall'
    expect(ask?.tool).toBe(cut ? undefined : 'Bash')
    expect(ask?.body?.startsWith('…\n')).toBe(cut)
    const shown = ask?.body?.replaceAll(/\s+/g, '') ?? ''
    const expected = command
      .replaceAll(/\s+/g, '')
      .replaceAll('\u200b', isNew ? '\uFFFD' : '')
      .replaceAll('\u202e', '\uFFFD')
    expect(shown).toContain(cut ? expected.slice(-100) : expected)
  })

  it.each(['blank', 'empty', 'missing'])('does not take a command for its %s description', (name) => {
    const { ask } = read(`description-${name}/shell`)
    expect(ask).toMatchObject({ tool: 'Bash', body: expect.stringMatching(/touch a\.txt\n\s*rm b\.txt/) })
    expect(ask?.input).toBeUndefined()
  })

  it('asks for a change, of which a long one is cut', () => {
    expect(read('tools/edit').ask).toMatchObject({
      title: 'Do you want to make this edit to long.txt?',
      tool: 'Edit',
      input: { file_path: 'long.txt' },
      body: expect.stringContaining('3  ❯ 1. Yes\n4  ● 1. Allow once\n5 -line 5\n5 +line five'),
    })
    const long = read('tools/long-write').ask
    expect(long).toMatchObject({
      title: 'Do you want to create long.txt?',
      tool: 'Write',
      body: expect.stringMatching(/^…\n\d+ line \d+\n.*60 line 60$/s),
    })
    // The question has the name of the file, but not its path.
    expect(long?.input).toBeUndefined()
    const always = isNew ? switchMode('2') : [['allow_session', 'allow_always', '2']]
    expect(options('tools/long-write')).toEqual([allow, ...always, ['deny', 'deny', '3']])
  })

  it('asks for a tool of an MCP server, and for a page', () => {
    const mcp = read('tools/mcp').ask
    const fetch = read('tools/fetch').ask
    expect(mcp).toMatchObject({ kind: 'permission', body: expect.stringContaining('key: "colour"') })
    expect(fetch).toMatchObject({ tool: 'WebFetch', body: expect.stringContaining('https://example.com/a') })
    // 2.1.326 shows the title of the tool instead of its name, and fields without quotes.
    expect(mcp?.tool).toBe(isNew ? undefined : 'mcp__desk__lookup')
    expect(mcp?.input).toEqual(isNew ? undefined : { key: 'colour' })
    const input = { url: 'https://example.com/a', prompt: 'What is it?' }
    expect(fetch?.input).toEqual(isNew ? undefined : input)
    for (const name of ['tools/mcp', 'tools/fetch']) {
      expect(options(name)?.slice(0, 2)).toEqual([allow, ['allow_always', 'allow_always', '2']])
      expect(options(name)?.at(-1)?.slice(0, 2)).toEqual(['deny', 'deny'])
    }
  })

  it('asks a question with options and free text', () => {
    expect(read('questions/choice').ask).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      body: '☐ Colour\nRed: Like fire\nBlue: Like water',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(options('questions/choice')).toEqual([
      ['option-1', 'other', '1'],
      ['option-2', 'other', '2'],
      ['chat', 'other', '4'],
      cancel,
    ])
    // A digit would become a part of the text that is typed.
    expect(read('questions/choice-own').ask?.freeText?.before).toEqual([])
    expect(options('questions/choice-own')?.[1]).toEqual(['option-2', 'other', 'Up Enter'])
  })

  it('asks several questions, one of them with several answers', () => {
    expect(read('questions/several-chosen').ask?.options.map(({ label }) => label)).toEqual([
      '[x] Apple',
      '[ ] Pear',
      'Chat about this',
      'Next',
      'Cancel (esc)',
    ])
    expect(read('questions/several').ask?.freeText).toBeUndefined()
    expect(options('questions/several')).toContainEqual(['next', 'other', 'Tab'])
    expect(read('questions/review').ask).toMatchObject({
      title: 'Ready to submit your answers?',
      body: expect.stringContaining('● Which fruits?\n→ Apple'),
    })
    expect(options('questions/review')).toEqual([
      ['submit', 'allow', '1'],
      ['deny', 'deny', '2'],
    ])
  })

  it('asks for a plan to be approved, and takes no list in the plan for options', () => {
    const { ask } = read('plan/approval')
    expect(ask).toMatchObject({
      kind: 'plan',
      title: 'Claude has written up a plan and is ready to execute. Would you like to proceed?',
      body: 'The plan\n\n1. First do this\n2. Then do that',
      tool: 'ExitPlanMode',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    // The screen shows rendered Markdown.
    expect(ask?.input).toBeUndefined()
    expect(options('plan/approval')).toEqual([
      ['allow_session', 'allow_always', '1'],
      ['allow', 'allow', '2'],
      cancel,
    ])
    expect(read('plan/without').ask).toMatchObject({ kind: 'plan', title: 'Exit plan mode?' })
    expect(options('plan/without')).toEqual([allow, ['deny', 'deny', '2']])
  })

  it('asks whether a folder is trusted, and whether to bypass permissions', () => {
    expect(read('trust/folder').ask).toMatchObject({
      kind: 'trust',
      title: 'Accessing workspace: /home/user/work',
    })
    const trust = isNew
      ? [
          ['deny', 'deny', 'Enter'],
          ['trust', 'allow_always', 'Down Enter'],
        ]
      : [
          ['trust', 'allow_always', '1'],
          ['deny', 'deny', '2'],
        ]
    expect(options('trust/folder')).toEqual([...trust, close])
    expect(read('bypass/start').ask).toMatchObject({
      kind: 'dialog',
      title: 'WARNING: Claude Code running in Bypass Permissions mode',
    })
    expect(read('bypass/accepted')).toMatchObject({ state: 'idle', mode: 'bypassPermissions' })
    expect(options('bypass/start')).toEqual([
      ['deny', 'deny', isNew ? 'Enter' : '1'],
      ['allow', 'allow', isNew ? 'Down Enter' : '2'],
      close,
    ])
  })

  it('leaves panels of settings to the user at the terminal', () => {
    expect(read('panels/permissions').ask?.title).toMatch(/^Permissions/)
    expect(read('panels/settings').ask?.title).toMatch(/^Settings/)
    for (const name of ['panels/permissions', 'panels/settings']) {
      expect(read(name).state).toBe('asking')
      expect(options(name)).toEqual([close])
    }
  })

  it('reads a dialog whose upper edge has a label', () => {
    const { lines, ...rest } = screen('modes/model-dialog')
    const edge = /^▔{10,}/
    const label = `${'▔'.repeat(99)} ◐ medium · /effort ▔`
    const labelled = { ...rest, lines: lines.map((line) => (edge.test(line) ? label : line)) }
    expect(terminal.read(labelled).ask?.title).toBe('Select model')
  })
})

describe('the screen of Claude Code', () => {
  it('takes no notice above the input for text of the answer', () => {
    // As Claude 2.1.326 shows it in a tmux of 120 columns, whose focus events are off.
    const tip =
      "tmux focus-events off · add 'set -g focus-events on' to ~/.tmux.conf and reattach for focus tracking"
    const rule = '─'.repeat(120)
    const lines = ['❯ SAY: More of it.', '', '● Shown over terminal.', '  More of it.', '']
    const input = [`${' '.repeat(18)}${tip}`, rule, '❯', rule, '  ⏸ manual mode on · esc to interrupt']
    expect(terminal.read(emptyScreen({ lines: [...lines, ...input], cursor: { x: 2, y: 7 } }))).toMatchObject(
      {
        state: 'working',
        text: 'Shown over terminal.\nMore of it.',
      },
    )
  })

  it('asks in auto mode for what it cannot check, with No marked first', () => {
    const read = (name: string) => terminal.read(getScreen('2.1.326', `auto/${name}`))
    expect(read('shell').ask).toMatchObject({
      kind: 'permission',
      tool: 'Bash',
      input: { command: 'touch a.txt && curl -s http://127.0.0.1:9/' },
      body: expect.stringContaining("Auto mode can't check actions"),
      options: [
        { effect: 'deny', label: 'No', keys: ['Enter'] },
        { effect: 'allow', label: 'Yes', keys: ['Down', 'Enter'] },
      ],
    })
    expect(read('unavailable').ask).toMatchObject({
      kind: 'dialog',
      title: "Auto mode can't check actions in this session",
      body: expect.stringContaining('These then run without\nasking: file edits'),
      options: [
        { effect: 'other', label: 'Stay in auto mode', keys: ['Enter'] },
        { effect: 'allow_always', label: 'Leave for accept edits mode and stop', keys: ['BTab'] },
        { effect: 'other', keys: ['Escape'] },
      ],
    })
  })

  it('offers auto mode to a user of manual mode', () => {
    const offer = getScreen('2.1.326', 'auto-offer/dialog')
    // Claude adds this row when other keys were pressed.
    const waiting = [...offer.lines, '', '  Not answered yet · ↑/↓ to choose · Esc to cancel']
    for (const lines of [offer.lines, waiting])
      expect(terminal.read({ ...offer, lines }).ask).toMatchObject({
        kind: 'dialog',
        title: 'Make auto mode your default permission mode?',
        options: [
          {
            effect: 'allow_always',
            label: 'Yes, set auto mode as my default permission mode',
            keys: ['Enter'],
          },
          { effect: 'deny', label: 'No, keep manual mode', keys: ['Down', 'Enter'] },
          ...(lines === waiting ? [{ id: 'close' }] : []),
        ],
      })
    expect(terminal.read(getScreen('2.1.326', 'auto-offer/dialog-moved')).ask?.options).toMatchObject([
      { keys: ['Up', 'Enter'] },
      { keys: ['Enter'] },
    ])
  })

  it('leaves out fields of an MCP call that take two rows or are not certain', () => {
    const { lines, ...rest } = getScreen('2.1.197', 'tools/mcp')
    const ask = (...rows: string[]) =>
      terminal.read({
        ...rest,
        lines: lines.flatMap((line) => (/^ +desk - lookup\(/.test(line) ? rows : [line])),
      }).ask
    expect(ask('   desk - lookup(key: "a, b: \\"c\\"", n: 2) (MCP)')?.input).toEqual({
      key: 'a, b: "c"',
      n: 2,
    })
    for (const rows of [
      ['   desk - lookup(key: "colour", more:', '   "x") (MCP)'],
      ['   desk - lookup(key: {"a": "b"}, c: "d") (MCP)'],
      ['   desk - lookup(key: "colo…", c: "d") (MCP)'],
    ]) {
      expect(ask(...rows)).toMatchObject({
        kind: 'permission',
        body: expect.stringContaining(rows[0]!.trim()),
      })
      expect(ask(...rows)?.input).toBeUndefined()
    }
  })

  it('never takes a longer Yes for a permission of this call alone', () => {
    const options = all.flatMap(({ screen }) => {
      const { ask } = terminal.read(screen)
      return ask?.kind === 'permission' ? ask.options : []
    })
    const labels = options.filter(({ effect }) => effect === 'allow').map(({ label }) => label)
    expect(new Set(labels)).toEqual(new Set(['Yes']))
  })

  it('is starting before anything is drawn', () => {
    expect(terminal.read(emptyScreen())).toEqual({ state: 'starting' })
    expect(terminal.read(emptyScreen({ title: '⠂ Claude Code' })).state).toBe('working')
  })

  it('asks only where a dialog is, whatever lists are in answers and changes', () => {
    const asks = all.filter(({ screen: each }) => terminal.read(each).state === 'asking')
    const dialogs =
      /asking|panels|tools\/screen-(?:shell|long-write|edit|mcp|fetch)\.txt|questions\/|plan\/|bypass\/screen-start|trust\/|model-(?:dialog|switch)|(?:narrow|command-\w+|description-\w+|auto)\/screen-shell|unavailable|auto-offer\/screen-dialog/
    expect(asks.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).filter((name) => dialogs.test(name) && !name.endsWith('plan.txt')),
    )
  })

  testAnyScreen(terminal, import.meta.url, 'haiku')
})

describe.each(versions)('switching Claude Code %s', (version) => {
  const screen = (name: string) => getScreen(version, name)

  it('cycles through the modes, and does not search for one that may be missing', () => {
    const step = (name: string, wanted: Mode, count = 0) => terminal.switchMode(wanted, screen(name), count)
    expect(step('modes/default', 'plan')).toEqual({ keys: ['BTab'] })
    expect(step('modes/auto', 'default')).toEqual({ keys: ['BTab'] })
    expect(step('modes/plan', 'plan', 2)).toEqual({ done: true })
    expect(step('modes/edits', 'plan', 5)).toBeUndefined()
    expect(step('modes/default', 'bypassPermissions')).toBeUndefined()
    expect(step('tools/shell', 'plan')).toEqual({ wait: true })
    expect(step('tools/shell', 'plan', 20)).toBeUndefined()
  })

  it('chooses a model of the dialog for this session only', () => {
    const step = (name: string, wanted: string, count: number) =>
      terminal.switchModel(wanted, screen(name), count)
    expect(step('modes/default', 'sonnet', 0)).toEqual({ submit: '/model' })
    expect(step('modes/model-dialog', 'sonnet', 1)).toEqual({ keys: ['Down'] })
    expect(step('modes/model-dialog', 'default', 1)).toEqual({ keys: ['s'] })
    expect(step('modes/model-dialog', 'other', 1)).toEqual({ keys: ['Escape'] })
    // The last step closes a dialog that would stay open.
    expect(step('modes/model-dialog', 'sonnet', 20)).toEqual({ keys: ['Escape'] })
    const set = version === '2.1.326' ? 'Fable 5.2' : 'Sonnet 5'
    const { lines, ...rest } = screen('modes/model-set')
    const answered = { ...rest, lines: lines.map((line) => line.replace(set, 'Sonnet 9')) }
    expect(terminal.switchModel('sonnet', answered, 4)).toEqual({ done: true })
    // The answer to an earlier switch.
    expect(step('modes/model-set', 'haiku', 1)).toEqual({ wait: true })
  })

  it('sets other models by name, and confirms that the conversation is read again', () => {
    const step = (name: string, count: number) => terminal.switchModel('claude-x', screen(name), count)
    expect(step('modes/default', 0)).toEqual({ submit: '/model claude-x' })
    expect(step('modes/default', 1)).toEqual({ wait: true })
    expect(step('working/model-switch', 1)).toEqual({ keys: ['1'] })
    expect(step('working/streaming', 0)).toEqual({ wait: true })
    expect(step('modes/default', 21)).toBeUndefined()
  })
})

describe('starting Claude Code on a terminal', () => {
  const args = (request: Parameters<typeof terminal.invocation>[0]) =>
    terminal.invocation(request, undefined).args

  it('passes a prompt, a new session id and extra arguments', () => {
    const request = { prompt: '-x', sessionId: 's', effort: 'low', extraArgs: ['--add-dir', '/a'] }
    const plan = JSON.stringify(getPlanSettings('bypassPermissions'))
    expect(args(request).join(' ')).toBe(`--session-id s --effort low --settings ${plan} --add-dir /a -- -x`)
    expect(terminal.choosesSession(undefined)).toBe(true)
  })

  it('passes hooks for this run, with a long timeout where the user decides', () => {
    const [flag, json = ''] = args({ hooks: { PermissionRequest: 'ask', Stop: 'tell' } })
    expect(flag).toBe('--settings')
    expect(JSON.parse(json)).toEqual({
      useAutoModeDuringPlan: false,
      hooks: {
        ...getPlanSettings('default').hooks,
        PermissionRequest: [{ hooks: [{ type: 'command', command: 'ask', timeout: 86_400 }] }],
        Stop: [{ hooks: [{ type: 'command', command: 'tell', timeout: 60 }] }],
      },
    })
    expect(args({ hooks: {} })).toEqual(args({}))
    const own = JSON.parse(args({ hooks: { PreToolUse: 'tell' } })[1]!) as {
      hooks: Record<string, unknown[]>
    }
    expect(own.hooks['PreToolUse']).toHaveLength(2)
  })

  it('finds the session that a command line names', () => {
    const id = '00000001-0000-4000-8000-000000000000'
    expect(terminal.findSessionId?.(['-r', id])).toBe(id)
    expect(terminal.findSessionId?.(['--session-id', id])).toBe(id)
    expect(terminal.findSessionId?.([`--resume=${id}`, '--fork-session'])).toBeUndefined()
    expect(terminal.findSessionId?.(['--continue'])).toBeUndefined()
  })

  it('mentions files in the syntax of the CLI', () => {
    expect([terminal.mention('/a/b.png'), terminal.mention('/a/b c.png')]).toEqual([
      '@/a/b.png',
      '@"/a/b c.png"',
    ])
  })
})
