import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Step } from '../../contract/agent.ts'
import { emptyScreen, recordedScreen, testAnyScreen } from '../screens.test-data.ts'
import { terminal } from './terminal.ts'

const here = import.meta.url

describe('The command line of Codex on a terminal', () => {
  it('never starts the daemon', () => {
    expect(terminal.invocation({}, '0.166.0').args).toEqual(['-c', 'features.daemon_auto_start=false'])
  })

  it('has the mode, model, effort and extra arguments, and the prompt at its end', () => {
    const { args } = terminal.invocation(
      { mode: 'plan', model: 'gpt-6-sol', effort: 'high', prompt: '--help', extraArgs: ['--search'] },
      '0.166.0',
    )
    const mode = '--sandbox read-only --ask-for-approval on-request'
    const rest = '--model gpt-6-sol -c model_reasoning_effort="high" --search -- --help'
    expect(args.slice(2).join(' ')).toBe(`${mode} ${rest}`)
  })

  it('resumes a session, or the last one', () => {
    expect(terminal.invocation({ resume: 'x' }, undefined).args.slice(0, 2)).toEqual(['resume', 'x'])
    expect(terminal.invocation({ resume: 'latest' }, undefined).args.slice(0, 2)).toEqual([
      'resume',
      '--last',
    ])
  })

  it('has the hooks of the run', () => {
    const { args } = terminal.invocation({ hooks: { Stop: 'echo "x"' } }, undefined)
    expect(args.at(-1)).toBe(String.raw`hooks.Stop=[{hooks=[{type="command",command="echo \"x\""}]}]`)
  })

  it('cannot choose the id of a session', () => {
    expect(terminal.choosesSession(undefined)).toBe(false)
    expect(() => terminal.invocation({ sessionId: 'x' }, undefined)).toThrow(/sessionId/)
  })

  it('names the session that it resumes', () => {
    const id = '01a1e35e-811c-74d1-80ac-46216ea146dc'
    expect(terminal.findSessionId?.(['resume', '-c', 'a=b', id])).toBe(id)
    expect(terminal.findSessionId?.(['resume', '--last'])).toBeUndefined()
    expect(terminal.findSessionId?.(['fork', id])).toBeUndefined()
  })

  it('mentions an image by its path', () => {
    expect(terminal.mention('/a.png')).toBe('@/a.png')
    expect(terminal.mention('/a b.png')).toBe('@"/a b.png"')
  })
})

describe.each(readdirSync(new URL('screens/fixtures/', here)))('Codex %s', (version) => {
  const screen = (name: string) => recordedScreen(here, `screens/fixtures/${version}/${name}.txt`)
  const read = (name: string) => terminal.read(screen(name))
  const readAsk = (name: string) => read(name).ask
  const getOptions = (name: string) =>
    readAsk(name)?.options.map(({ id, effect, keys }) => [id, effect, ...keys])

  describe('The screen of Codex', () => {
    it('is starting while it is empty or only shows the logo', () => {
      expect(terminal.read(emptyScreen()).state).toBe('starting')
      const loading = screen('working/screen-idle').lines.map((line) =>
        line.replace(/^ {5}~\/work$/, '     loading'),
      )
      expect(terminal.read({ ...screen('working/screen-idle'), lines: loading }).state).toBe('starting')
    })

    it('is idle with an empty input, whatever its placeholder is', () => {
      expect(read('working/screen-idle')).toEqual({ state: 'idle', input: '', model: 'scripted-model' })
      expect(read('narrow/screen-idle')).toEqual({ state: 'idle', input: '', model: 'scripted-model' })
    })

    it('shows text that is typed but not sent, also after an interruption', () => {
      expect(read('working/screen-typed')).toMatchObject({ state: 'idle', input: 'half typed' })
      expect(read('working/screen-interrupted')).toMatchObject({ state: 'idle', input: 'And then?' })
    })

    it('is working, with the subject of its thoughts', () => {
      expect(read('working/screen-working')).toEqual({ state: 'working', input: '', model: 'scripted-model' })
      expect(read('working/screen-thinking')).toMatchObject({
        state: 'working',
        subject: 'First I look around.',
      })
    })

    it('is working while an answer streams, which only the title shows, and a list in it is no dialog', () => {
      const text =
        'You can choose between these, and each of them is explained in a line that is so long that it has to be broken:\n\n' +
        '1. Yes, proceed (y)\n2. No, and tell Codex what to do differently (esc)\n\nPress enter to confirm or esc to cancel'
      expect(read('working/screen-streaming')).toMatchObject({ state: 'working', text })
      expect(read('working/screen-queued')).toMatchObject({ state: 'working', text, input: '' })
    })

    it('is an error while the last message is one', () => {
      expect(read('failures/screen-key')).toMatchObject({ state: 'error', input: '' })
      expect(read('failures/screen-key').error).toMatch(/^unexpected status 401 Unauthorized/)
      expect(read('failures/screen-server').error).toMatch(/high demand/)
    })

    it('reads the permissions as far as they are shown', () => {
      // Plan mode does not change the permissions.
      expect(read('questions/screen-plan-mode').mode).toBeUndefined()
      expect(read('pickers/screen-default-mode').mode).toBe('bypassPermissions')
      expect(read('pickers/screen-full-access-set').mode).toBe('bypassPermissions')
      expect(read('bypass/screen-idle').mode).toBe('bypassPermissions')
      expect(read('working/screen-idle').mode).toBeUndefined()
    })

    it('is in shell mode, whatever else its last row says', () => {
      expect(read('shell/screen-empty')).toMatchObject({ state: 'idle', shell: true, input: '' })
      expect(read('shell/screen-typed')).toMatchObject({ state: 'idle', shell: true, input: 'ls' })
    })

    it('shows the id of the model', () => {
      expect(read('pickers/screen-model-set').model).toBe('gpt-6-astra')
    })
  })

  describe('The questions of Codex', () => {
    it('ask whether a command may run', () => {
      expect(readAsk('commands/screen-asking')).toMatchObject({
        kind: 'permission',
        tool: 'Bash',
        input: { command: 'touch a.txt' },
        body: 'Environment: local\n\nReason: May I run this outside the sandbox?\n\n$ touch a.txt',
      })
      expect(getOptions('commands/screen-asking')).toEqual([
        ['allow', 'allow', '1'],
        ['allow_always', 'allow_always', '2'],
        ['deny', 'deny', '3'],
      ])
    })

    it('are never read from the text of a command', () => {
      expect(getOptions('commands/screen-lines')).toEqual([
        ['allow', 'allow', '1'],
        ['deny', 'deny', '2'],
      ])
      expect(readAsk('commands/screen-lines')?.input).toEqual({
        command: 'cat <<X\n1. Yes, proceed (y)\nWould you like to run the following command?\n\n$ ls\nX',
      })
    })

    it('have no command if a part of it is not shown', () => {
      const ask = readAsk('commands/screen-long')
      expect(ask).toMatchObject({ tool: 'Bash' })
      expect(ask).not.toHaveProperty('input')
      expect(ask?.body).toMatch(/\[… \d+ lines\] \^a view all$/)
    })

    it('do not join wrapped lines in a narrow terminal', () => {
      const command = read('narrow/screen-asking').ask?.input
      expect(JSON.stringify(command).split(String.raw`\n`)).toHaveLength(3)
      expect(getOptions('narrow/screen-asking')?.map(([id]) => id)).toEqual(['allow', 'allow_always', 'deny'])
    })

    it('ask whether files may change, with the change', () => {
      const ask = readAsk('edit/screen-asking')
      expect(ask).toMatchObject({ tool: 'Edit', input: { file_path: '/home/user/work/note.txt' } })
      expect(ask?.body).toMatch(/^Added note\.txt \(\+2 -0\)\n {2}1 \+hello/)
      expect(ask?.options.map(({ id }) => id)).toEqual(['allow', 'allow_always', 'deny'])
    })

    it('ask whether a tool of an MCP server may run', () => {
      expect(readAsk('mcp/screen-asking')).toMatchObject({ tool: 'mcp__desk__lookup', body: 'key: 1. Ann' })
      expect(getOptions('mcp/screen-asking')).toEqual([
        ['allow', 'allow', '1'],
        ['allow_always', 'allow_always', '2'],
        ['option-3', 'allow_always', '3'],
        ['deny', 'deny', '4'],
      ])
    })

    it('include those of the model, with free text', () => {
      expect(readAsk('questions/screen-one')).toMatchObject({ kind: 'question', title: 'Which colour?' })
      expect(readAsk('questions/screen-one')?.freeText).toEqual({
        before: ['Down', 'Down', 'Tab'],
        after: ['Enter'],
      })
      expect(readAsk('questions/screen-second')?.title).toBe('Which fruit?')
      expect(readAsk('questions/screen-notes')).toMatchObject({
        title: 'Which fruit?',
        options: [{ id: 'back' }],
        freeText: { before: [], after: ['Enter'] },
      })
    })

    it('ask for approval of a plan, with the plan', () => {
      expect(readAsk('questions/screen-plan')).toMatchObject({
        kind: 'plan',
        tool: 'ExitPlanMode',
        input: { plan: '# The plan\n\n1. Begin.\n2. End.' },
      })
      expect(getOptions('questions/screen-plan')?.map(([id]) => id)).toEqual(['allow', 'option-2', 'deny'])
    })

    it('include those at the start: an update, the folder, hooks', () => {
      expect(readAsk('start/screen-update')).toMatchObject({
        kind: 'dialog',
        title: `Update available · ${version} → 999.0.0`,
      })
      expect(readAsk('start/screen-trust')).toMatchObject({ kind: 'trust', title: 'Folder access' })
      expect(getOptions('start/screen-trust')).toEqual([
        ['allow', 'allow', 'Enter'],
        ['deny', 'deny', 'Down', 'Enter'],
      ])
      expect(getOptions('start/screen-hooks')).toEqual([
        ['option-1', 'other', '1'],
        ['allow_always', 'allow_always', '2'],
        ['deny', 'deny', '3'],
      ])
      expect(getOptions('start/screen-hooks-table')).toEqual([['close', 'other', 'Escape']])
    })

    it('include dialogs that the user opened', () => {
      expect(getOptions('commands/screen-pager')).toEqual([['close', 'other', 'q']])
      expect(readAsk('pickers/screen-full-access')).toMatchObject({
        kind: 'dialog',
        title: 'Enable full access?',
      })
      expect(readAsk('pickers/screen-models')?.options).toHaveLength(8)
    })

    it('are read from a window that has text of the conversation on both sides', () => {
      const shown = screen('pickers/screen-full-access')
      const top = shown.lines.findIndex((line) => line.includes('Enable full access?'))
      const foot = shown.lines.findIndex((line) => line.includes('enter select'))
      const lines = shown.lines.map((line, row) =>
        row < top || row > foot ? line : `said before: ${line.slice(13).padEnd(83)} and after?`,
      )
      expect(terminal.read({ ...shown, lines }).ask).toEqual(terminal.read(shown).ask)
    })

    it('do not include a window while the cursor is in the input line', () => {
      const shown = screen('pickers/screen-full-access')
      const input = shown.lines.findLastIndex((line) => line.startsWith('›'))
      expect(terminal.read({ ...shown, cursor: { x: 2, y: input } }).state).toBe('idle')
    })
  })

  describe('Switching Codex', () => {
    const mode = (
      wanted: 'default' | 'plan' | 'acceptEdits' | 'bypassPermissions',
      name: string,
      step: number,
    ) => terminal.switchMode(wanted, screen(name), step)
    const model = (wanted: string, name: string, step: number): Step | undefined =>
      terminal.switchModel(wanted, screen(name), step)

    it('to plan chooses read-only permissions before it presses the key of Plan', () => {
      expect(mode('plan', 'working/screen-idle', 0)).toEqual({ submit: '/permissions' })
      expect(mode('plan', 'working/screen-idle', 1)).toEqual({ wait: true })
      expect(mode('plan', 'pickers/screen-permissions', 1)).toEqual({ keys: ['4'] })
      expect(mode('plan', 'working/screen-idle', 2)).toEqual({ keys: ['BTab'] })
      expect(mode('plan', 'questions/screen-plan-mode', 3)).toEqual({ done: true })
    })

    it('to another mode uses the permissions dialog', () => {
      expect(mode('bypassPermissions', 'working/screen-idle', 0)).toEqual({ submit: '/permissions' })
      expect(mode('bypassPermissions', 'working/screen-idle', 1)).toEqual({ wait: true })
      expect(mode('bypassPermissions', 'pickers/screen-permissions', 1)).toEqual({ keys: ['3'] })
      expect(mode('bypassPermissions', 'pickers/screen-full-access', 2)).toEqual({ keys: ['1'] })
      expect(mode('bypassPermissions', 'pickers/screen-full-access-set', 3)).toEqual({ done: true })
      expect(mode('acceptEdits', 'pickers/screen-permissions', 1)).toEqual({ keys: ['Escape'] })
      expect(mode('default', 'questions/screen-plan-mode', 2)).toEqual({ keys: ['BTab'] })
      expect(mode('default', 'questions/screen-plan-mode', 5)).toBeUndefined()
    })

    it('to a model uses its list, for this session only', () => {
      expect(model('gpt-6-astra', 'working/screen-idle', 0)).toEqual({ submit: '/model' })
      expect(model('gpt-6-astra', 'working/screen-idle', 1)).toEqual({ wait: true })
      expect(model('gpt-6-astra', 'pickers/screen-models', 1)).toEqual({ keys: ['2'] })
      expect(model('gpt-6-astra', 'pickers/screen-efforts', 2)).toEqual({ keys: ['s'] })
      expect(model('gpt-6-astra', 'pickers/screen-model-set', 3)).toEqual({ done: true })
    })

    it('to a model that is not on the list closes the list and fails', () => {
      const [down] = [model('gpt-9', 'pickers/screen-models', 1)]
      expect(down).toEqual({ keys: Array.from({ length: 10 }, () => 'Down') })
      expect(model('gpt-9', 'pickers/screen-models', 3)).toEqual({ keys: ['Escape'] })
      expect(model('gpt-9', 'working/screen-idle', 4)).toBeUndefined()
    })
  })
})

it('reads the list of agents of Codex 0.169.0 as a dialog that can be closed', () => {
  expect(terminal.read(recordedScreen(here, 'screens/fixtures/0.169.0/agents/screen-list.txt'))).toEqual({
    state: 'asking',
    ask: {
      kind: 'dialog',
      title: 'Agent command center',
      options: [{ id: 'close', label: 'Close', effect: 'other', keys: ['Escape'] }],
    },
  })
})

testAnyScreen(terminal, here, 'gpt')
