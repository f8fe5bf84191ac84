import { describe, expect, it } from 'vitest'
import type { Mode } from '../../agent.ts'
import { testAnyScreen, emptyScreen, recordedScreen, recordedScreens } from '../screens.test-data.ts'
import { getPlanSettings } from './arguments.ts'
import { terminal } from './terminal.ts'

const screen = (name: string) =>
  recordedScreen(import.meta.url, `screens/fixtures/2.1.197/${name.replace('/', '/screen-')}.txt`)
const read = (name: string) => terminal.read(screen(name))
const all = recordedScreens(import.meta.url)
const labels = (name: string) =>
  read(name).ask?.options.map(({ id, effect, keys }) => [id, effect, keys.join(' ')])

const allow = ['allow', 'allow', '1']
const deny = ['deny', 'deny', '3']
const cancel = ['cancel', 'deny', 'Escape']
const said =
  'Here is how it goes:\n\n1. Allow once is not a question here.\n2. No, it is a list.\n\n' +
  'Then comes a sentence that is long enough to be wrapped by any terminal that has fewer than two hundred columns, and'

describe('the screen of Claude Code', () => {
  it('is idle with an empty input, or with what was typed', () => {
    expect(read('modes/default')).toMatchObject({ state: 'idle', mode: 'default', input: '' })
    expect(read('modes/typed')).toMatchObject({ state: 'idle', mode: 'default', input: 'not sent yet' })
    expect(read('narrow/idle')).toMatchObject({ state: 'idle', input: '' })
  })

  it('tells the mode, of which one is none of ours, and the model', () => {
    const modes = ['default', 'edits', 'plan', 'auto'].map((name) => read(`modes/${name}`).mode)
    expect(modes).toEqual(['default', 'acceptEdits', 'plan', undefined])
    expect(read('modes/default').model).toBe('Opus 4.8 (1M context)')
    expect(read('modes/model-set').model).toBe('Sonnet 5')
    expect(read('modes/auto').text).toBeUndefined()
  })

  it('is working, with what it has said', () => {
    expect(read('working/thinking')).toMatchObject({ state: 'working', input: '' })
    expect(read('working/thinking').text).toBeUndefined()
    expect(read('working/streaming')).toMatchObject({ state: 'working', text: said })
    expect(read('working/queued')).toMatchObject({ state: 'working', text: said, input: '' })
    expect(read('narrow/streaming')).toMatchObject({ state: 'working', text: said })
  })

  it('names the task that it works on, and no word by chance', () => {
    const { lines, ...rest } = screen('working/thinking')
    const working = (row: string) =>
      terminal.read({ ...rest, lines: lines.map((line) => (line.startsWith('✻ Working…') ? row : line)) })
    expect(working('✻ Working… (0s)').subject).toBeUndefined()
    expect(working('✶ Fixing the tests… (3s · ↓ 1 tokens)').subject).toBe('Fixing the tests')
  })

  it('keeps the words of an answer that was broken off', () => {
    expect(read('working/interrupted')).toMatchObject({ state: 'idle', text: `${said} it goes on` })
  })

  it('reads an answer longer than the screen, and an input of two lines', () => {
    expect(read('long/done').text).toMatch(/60\. Yes, this is point 60\.\n\nThat was all\.$/)
    expect(read('long/two-lines')).toMatchObject({ state: 'idle', input: 'one\ntwo' })
  })

  it('leaves out what tools said', () => {
    expect(read('tools/shell-done').text).toBe('Said.')
    expect(read('tools/denied')).toMatchObject({ state: 'idle', input: '' })
    expect(read('tools/denied').text).toBeUndefined()
  })

  it('has failed', () => {
    expect(read('failures/sign-in')).toMatchObject({
      state: 'error',
      error: 'Not logged in · Please run /login',
      input: '',
    })
    expect(read('failures/error').error).toMatch(/^API Error: 500 Internal server error\./)
    expect(read('failures/error').text).toBeUndefined()
  })

  it('asks for a command', () => {
    const command =
      'touch a.txt && echo one two three four five six seven eight nine ten eleven twelve thirteen'
    for (const name of ['tools/shell', 'narrow/shell']) {
      expect(read(name)).toMatchObject({
        state: 'asking',
        ask: { kind: 'permission', title: 'Do you want to proceed?', tool: 'Bash', input: { command } },
      })
      expect(read(name).input).toBeUndefined()
      expect(labels(name)).toEqual([allow, ['allow_always', 'allow_always', '2'], deny])
    }
  })

  it('asks for a change, of which a long one is cut', () => {
    expect(read('tools/edit').ask).toMatchObject({
      title: 'Do you want to make this edit to long.txt?',
      tool: 'Edit',
      input: { file_path: 'long.txt' },
      body: expect.stringContaining('3  ❯ 1. Yes\n4  ● 1. Allow once\n5 -line 5\n5 +line five'),
    })
    expect(read('tools/long-write').ask).toMatchObject({
      title: 'Do you want to create long.txt?',
      tool: 'Write',
      input: { file_path: 'long.txt' },
      body: expect.stringMatching(/^\d+ line \d+\n.*60 line 60$/s),
    })
    expect(labels('tools/long-write')).toEqual([allow, ['allow_session', 'allow_always', '2'], deny])
  })

  it('asks for a tool of a server, and for a page', () => {
    expect(read('tools/mcp').ask).toMatchObject({ tool: 'mcp__desk__lookup', input: { key: 'colour' } })
    expect(read('tools/fetch').ask).toMatchObject({
      kind: 'permission',
      tool: 'WebFetch',
      input: { url: 'https://example.com/a', prompt: 'What is it?' },
    })
    expect(labels('tools/fetch')).toEqual([allow, ['allow_always', 'allow_always', '2'], deny])
  })

  it('asks a question with options and own words', () => {
    expect(read('questions/choice').ask).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      body: '☐ Colour\nRed: Like fire\nBlue: Like water',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(labels('questions/choice')).toEqual([
      ['option-1', 'other', '1'],
      ['option-2', 'other', '2'],
      ['chat', 'other', '4'],
      cancel,
    ])
    // Where words are typed, a digit would be one of them.
    expect(read('questions/choice-own').ask?.freeText?.before).toEqual([])
    expect(labels('questions/choice-own')?.[1]).toEqual(['option-2', 'other', 'Up Enter'])
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
    expect(labels('questions/several')).toContainEqual(['next', 'other', 'Tab'])
    expect(read('questions/review').ask).toMatchObject({
      title: 'Ready to submit your answers?',
      body: expect.stringContaining('● Which fruits?\n→ Apple'),
    })
    expect(labels('questions/review')).toEqual([
      ['submit', 'allow', '1'],
      ['deny', 'deny', '2'],
    ])
  })

  it('asks for a plan to be approved, and takes no list in the plan for options', () => {
    expect(read('plan/approval').ask).toMatchObject({
      kind: 'plan',
      title: 'Claude has written up a plan and is ready to execute. Would you like to proceed?',
      body: 'The plan\n\n1. First do this\n2. Then do that',
      tool: 'ExitPlanMode',
      freeText: { before: ['3'], after: ['Enter'] },
    })
    expect(labels('plan/approval')).toEqual([
      ['allow_session', 'allow_always', '1'],
      ['allow', 'allow', '2'],
      cancel,
    ])
    expect(read('plan/without').ask).toMatchObject({ kind: 'plan', title: 'Exit plan mode?' })
    expect(labels('plan/without')).toEqual([allow, ['deny', 'deny', '2']])
  })

  it('asks whether a folder is trusted, and whether all shall be allowed', () => {
    expect(read('trust/folder').ask).toMatchObject({
      kind: 'trust',
      title: 'Accessing workspace: /home/user/work',
    })
    expect(labels('trust/folder')?.slice(0, 2)).toEqual([
      ['trust', 'allow_always', '1'],
      ['deny', 'deny', '2'],
    ])
    expect(read('bypass/start').ask).toMatchObject({
      kind: 'dialog',
      title: 'WARNING: Claude Code running in Bypass Permissions mode',
    })
    expect(read('bypass/accepted')).toMatchObject({ state: 'idle', mode: 'bypassPermissions' })
    expect(labels('bypass/start')?.slice(0, 2)).toEqual([
      ['deny', 'deny', '1'],
      ['allow', 'allow', '2'],
    ])
  })

  it('leaves panels of settings to the person before them', () => {
    expect(read('panels/permissions').ask?.title).toMatch(/^Permissions/)
    for (const name of ['panels/permissions', 'panels/settings']) {
      expect(read(name).state).toBe('asking')
      expect(labels(name)).toEqual([['close', 'other', 'Escape']])
    }
  })

  it('is starting before anything is drawn', () => {
    expect(terminal.read(emptyScreen())).toEqual({ state: 'starting' })
    expect(terminal.read(emptyScreen({ title: '⠂ Claude Code' })).state).toBe('working')
  })

  it('asks only where a dialog is, whatever lists stand in answers and changes', () => {
    const asks = all.filter(({ screen: each }) => terminal.read(each).state === 'asking')
    const dialogs =
      /asking|panels|tools\/screen-(?:shell|long-write|edit|mcp|fetch)\.txt|questions\/|plan\/|bypass\/screen-start|trust\/|model-(?:dialog|switch)|narrow\/screen-shell/
    expect(asks.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).filter((name) => dialogs.test(name) && !name.endsWith('plan.txt')),
    )
  })

  testAnyScreen(terminal, import.meta.url, 'haiku')
})

describe('switching Claude Code', () => {
  it('goes through the modes, and does not look for one that may not be there', () => {
    const step = (name: string, wanted: Mode, count = 0) => terminal.switchMode(wanted, screen(name), count)
    expect(step('modes/default', 'plan')).toEqual({ keys: ['BTab'] })
    expect(step('modes/auto', 'default')).toEqual({ keys: ['BTab'] })
    expect(step('modes/plan', 'plan', 2)).toEqual({ done: true })
    expect(step('modes/edits', 'plan', 5)).toBeUndefined()
    expect(step('modes/default', 'bypassPermissions')).toBeUndefined()
    expect(step('tools/shell', 'plan')).toEqual({ wait: true })
    expect(step('tools/shell', 'plan', 20)).toBeUndefined()
  })

  it('chooses a model for this session only, where the dialog has it', () => {
    const step = (name: string, wanted: string, count: number) =>
      terminal.switchModel(wanted, screen(name), count)
    expect(step('modes/default', 'sonnet', 0)).toEqual({ submit: '/model' })
    expect(step('modes/model-dialog', 'sonnet', 1)).toEqual({ keys: ['Down'] })
    expect(step('modes/model-dialog', 'default', 1)).toEqual({ keys: ['s'] })
    expect(step('modes/model-dialog', 'fable', 1)).toEqual({ keys: ['Escape'] })
    expect(step('modes/model-set', 'sonnet', 4)).toEqual({ done: true })
    // The answer to an earlier switch.
    expect(step('modes/model-set', 'haiku', 1)).toEqual({ wait: true })
  })

  it('gives other models by name, and confirms that the conversation is read again', () => {
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

  it('takes a prompt, a session of its own and more arguments along', () => {
    const request = { prompt: '-x', sessionId: 's', effort: 'low', extraArgs: ['--add-dir', '/a'] }
    const plan = JSON.stringify(getPlanSettings('bypassPermissions'))
    expect(args(request).join(' ')).toBe(`--session-id s --effort low --settings ${plan} --add-dir /a -- -x`)
    expect(terminal.choosesSession(undefined)).toBe(true)
  })

  it('takes hooks for this run, with patience where a person decides', () => {
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

  it('knows the session that a command line names', () => {
    const id = '00000001-0000-4000-8000-000000000000'
    expect(terminal.sessionIn?.(['-r', id])).toBe(id)
    expect(terminal.sessionIn?.(['--session-id', id])).toBe(id)
    expect(terminal.sessionIn?.([`--resume=${id}`, '--fork-session'])).toBeUndefined()
    expect(terminal.sessionIn?.(['--continue'])).toBeUndefined()
  })

  it('names files as the CLI does', () => {
    expect([terminal.mention('/a/b.png'), terminal.mention('/a/b c.png')]).toEqual([
      '@/a/b.png',
      '@"/a/b c.png"',
    ])
  })
})
