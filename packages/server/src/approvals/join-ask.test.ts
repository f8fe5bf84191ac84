import { describe, expect, it } from 'vitest'
import { isSameDialog, readPayload, scoreCall } from './join-ask.ts'

const bash = (command: string) => ({ tool: 'Bash', input: { command } })
const dialog = (body: string, title = 'Bash command') => ({ title, body })

describe('a dialog and a reported call', () => {
  it.each([
    ['the command is a line of it', 'touch a.txt\nMakes a file', true],
    ['the command is broken into rows', 'tou\nch a.t\n  xt', true],
    [
      'a tip is shown above the command',
      'Tip: auto mode handles these prompts\nRun it\n╌╌╌\n touch a.txt\n╌╌╌',
      true,
    ],
    ['it shows another command', 'touch b.txt', false],
    ['it shows a longer name', 'touch a.txt.bak', false],
    ['it shows a name that ends alike', 'touch aa.txt', false],
  ])('are joined by the whole text: %s', (_, body, joined) => {
    expect(scoreCall(dialog(body), bash('touch a.txt')) > 0).toBe(joined)
  })

  it('are joined whatever characters the command has', () => {
    for (const command of ['ls -l | grep "a.*[b]" > /tmp/x-1 && echo $((1+2)) \\ {a,b}', 'echo ☃ \ud83d 👍🏽'])
      expect(scoreCall(dialog(command), bash(command))).toBeGreaterThan(0)
  })

  it('are joined by a path, a part of it, or the question alone', () => {
    const edit = { tool: 'Edit', input: { file_path: '/w/src/a.ts', old_string: 'one', new_string: 'two' } }
    expect(scoreCall(dialog('src/a.ts\n 1 -one\n 1 +two', 'Edit file'), edit)).toBeGreaterThan(0)
    expect(scoreCall({ title: 'Do you want to make this edit to a.ts?' }, edit)).toBeGreaterThan(0)
    expect(scoreCall(dialog('src/b.ts', 'Edit file'), edit)).toBe(0)
    // Of two edits of one file, the one whose change is shown matches.
    const other = { tool: 'Edit', input: { ...edit.input, old_string: 'three', new_string: 'four' } }
    const shown = dialog('src/a.ts\n 1 -three\n 1 +four', 'Edit file')
    expect(scoreCall(shown, other)).toBeGreaterThan(scoreCall(shown, edit))
  })

  it('are joined where the dialog cuts a long command', () => {
    const long = bash('echo one two three four five six seven')
    expect(scoreCall(dialog('echo one two three four fi…'), long)).toBeGreaterThan(0)
    expect(scoreCall(dialog('echo one two three four xi…'), long)).toBe(0)
    expect(scoreCall(dialog('echo…'), long)).toBe(0)
  })

  it('are joined for MCP tools, however the dialog writes their name', () => {
    const call = { tool: 'mcp__desk__make', input: { name: 'f3x.txt' } }
    expect(scoreCall(dialog('desk - make(name: "f3x.txt") (MCP)', 'Tool use'), call)).toBeGreaterThan(0)
    expect(scoreCall(dialog('desk — Make Tool: (MCP)\nname: "f3x.txt"', 'Tool use'), call)).toBeGreaterThan(0)
    expect(scoreCall(dialog('desk — Make Tool: (MCP)\nname: "f4x.txt"', 'Tool use'), call)).toBe(0)
    expect(scoreCall(dialog('desk — Drop Tool: (MCP)\nname: "f3x.txt"', 'Tool use'), call)).toBe(0)
  })
})

it('reads the exact call of a hook payload', () => {
  const payload = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', agent_id: 'a1' }
  expect(readPayload(payload)).toEqual({
    tool: 'Bash',
    input: { command: 'ls' },
    exact: true,
    toolUse: 't1',
    parent: 'a1',
  })
  expect(readPayload({})).toBeUndefined()
})

describe('two readings of a dialog', () => {
  const options = [
    { id: 'allow', label: 'Yes' },
    { id: 'deny', label: 'No' },
  ]
  const edit = {
    kind: 'permission',
    title: 'Edit file',
    body: 'a.txt\n 1 -old\n 1 +new\nMake this edit?',
    options,
  }
  it.each([
    ['drawn in another width', { body: 'a.txt\n 1 -ol\n d\n 1 +new\nMake this\n edit?' }, true],
    ['before its diff was drawn', { body: 'a.txt\nMake this edit?' }, true],
    ['scrolled', { title: '1 +new', body: 'Make this edit? Make this edit?' }, false],
    ['of another file', { body: 'b.txt\n 1 -old\n 1 +new\nMake this edit?' }, false],
    ['with other options', { options: options.slice(1) }, false],
    ['of another kind', { kind: 'plan' }, false],
  ])('are compared: %s', (_, change, same) => {
    expect(isSameDialog(edit, { ...edit, ...change })).toBe(same)
    expect(isSameDialog({ ...edit, ...change }, edit)).toBe(same)
  })

  it('show the same dialog when its beginning is above the screen', () => {
    const long = Array.from({ length: 40 }, (_, index) => ` ${index} +line ${index}`).join('\n')
    const whole = { ...edit, body: `a.txt\n${long}\nMake this edit?` }
    expect(
      isSameDialog(whole, {
        ...edit,
        title: '20 +line 20',
        body: whole.body.split('\n').slice(22).join('\n'),
      }),
    ).toBe(true)
  })
})
