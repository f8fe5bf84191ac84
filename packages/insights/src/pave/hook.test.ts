import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdit, decide, shellWords } from './hook.ts'
import type { AgentRules, PaveEdit } from './rules.ts'

const pip: PaveEdit = { kind: 'command', from: 'pip', to: 'pip3' }
const scp: PaveEdit = { kind: 'flag', command: 'scp', from: '-r', to: '-R' }
const curl: PaveEdit = { kind: 'flag', command: 'curl', from: '--insecure', to: '' }
const commit: PaveEdit = { kind: 'flag', command: 'git commit', from: '--msg', to: '--message' }
const recipe: PaveEdit = { kind: 'recipe', from: 'npm test', to: 'npm run unit -- {args}' }

describe('replaces a command only in command position', () => {
  it.each([
    ['pip list', 'pip3 list'],
    ['cd a && pip list || pip x; pip y | pip z', 'cd a && pip3 list || pip3 x; pip3 y | pip3 z'],
    ['A=1 B="x y" pip list', 'A=1 B="x y" pip3 list'],
    ['sudo pip list', 'sudo pip3 list'],
    ['env A=1 pip list', 'env A=1 pip3 list'],
    ['echo $(pip list)', 'echo $(pip3 list)'],
    ['(pip a; pip b) &', '(pip3 a; pip3 b) &'],
    ['if pip a; then pip b; else pip c; fi', 'if pip3 a; then pip3 b; else pip3 c; fi'],
    ['for pip in a; do pip $pip; done', 'for pip in a; do pip3 $pip; done'],
    ['ls\npip list', 'ls\npip3 list'],
    ['cat <<EOF\npip\nEOF\npip list', 'cat <<EOF\npip\nEOF\npip3 list'],
    ["cat <<-'E'\n\tpip\n\tE\npip list", "cat <<-'E'\n\tpip\n\tE\npip3 list"],
    ['>pip 2>&1 pip list', '>pip 2>&1 pip3 list'],
    ['echo $((1 + 2)) ${a:-pip}; pip list', 'echo $((1 + 2)) ${a:-pip}; pip3 list'],
  ])('%j → %j', (line, better) => {
    expect(applyEdit(line, pip)).toBe(better)
  })

  it.each([
    'echo pip',
    'echo "pip list"',
    'echo "$(pip list)"',
    "echo 'a; pip list'",
    'echo `pip list`',
    'ls # pip list',
    'ls; # ; pip list',
    'pipx list; /usr/bin/pip list; pip3 list',
    'pip() { true; }',
    'sudo -u pip ls',
    'ls > pip < pip',
    String.raw`\pip list`,
    '"pip" list',
    'case $x in pip) ls;; esac',
    '[[ -n a && pip == b ]]',
    'a=(pip list)',
    // Incomplete lines stay unchanged.
    'pip "list',
    "pip list 'x",
    'pip $(ls',
  ])('%j stays', (line) => {
    expect(applyEdit(line, pip)).toBe(line)
  })
})

describe('flags, recipes, texts and patterns', () => {
  it.each<[PaveEdit, string, string]>([
    [scp, 'scp -r a b && ls -r', 'scp -R a b && ls -r'],
    [scp, 'ls | scp -p -r a b', 'ls | scp -p -R a b'],
    [scp, 'scp -- -r a', 'scp -- -r a'],
    [scp, 'scp "-r" -rp a', 'scp "-r" -rp a'],
    [curl, 'curl --insecure -o x https://a', 'curl -o x https://a'],
    [commit, 'git commit --msg=x; git log --msg', 'git commit --message=x; git log --msg'],
    [recipe, 'cd a && npm test -t "x y" > log', 'cd a && npm run unit -- -t "x y" > log'],
    [recipe, 'npm testing; npm run test', 'npm testing; npm run test'],
    [{ ...recipe, to: 'make check' }, 'npm test -t x; ls', 'make check; ls'],
    [{ kind: 'literal', from: '/app/', to: '/$&/' }, 'cat /app/a "/app/b"', 'cat /$&/a "/$&/b"'],
    [{ kind: 'literal', command: 'cat', from: 'a', to: 'b' }, 'cat a; ls a', 'cbt b; ls a'],
    [{ kind: 'regex', from: String.raw`python2(\.\d)?`, to: 'python3$1' }, 'python2.7 x', 'python3.7 x'],
  ])('%j: %j → %j', (edit, line, better) => {
    expect(applyEdit(line, edit)).toBe(better)
  })
})

const pieces = fc.constantFrom(
  ...'pip scp -r ls ; && | ( ) $( ` " \' # <<E E > 2>&1 ${ } = a if then fi case sudo $(( )) { --'.split(' '),
  ' ',
  ' ',
  ' ',
  '\n',
  '\\',
)
const lines = fc.array(pieces, { maxLength: 24 }).map((words) => words.join(''))

it('never changes a line in which the word does not occur', () => {
  fc.assert(
    fc.property(lines, fc.constantFrom(pip, scp, curl, commit, recipe), (line, edit) => {
      const word = edit.kind === 'flag' ? edit.from : edit.from.split(' ')[0]!
      fc.pre(!line.includes(word))
      expect(applyEdit(line, edit)).toBe(line)
    }),
    { numRuns: 2000 },
  )
})

it('never changes quoted text', () => {
  const quoted = fc.oneof(
    fc.string().map((text) => `'${text.replaceAll("'", '')} pip scp -r'`),
    fc.string().map((text) => `"${text.replaceAll(/["\\$`]/g, '')}; pip scp -r"`),
  )
  fc.assert(
    fc.property(lines, quoted, (line, text) => {
      const whole = `echo ${text}; ${line}`
      for (const edit of [pip, scp, { ...scp, to: '' }])
        expect(applyEdit(whole, edit)).toContain(`echo ${text}`)
    }),
    { numRuns: 2000 },
  )
})

it('reports the exact positions of words', () => {
  fc.assert(
    fc.property(lines, (line) => {
      for (const { text, start, end } of shellWords(line)) expect(line.slice(start, end)).toBe(text)
    }),
  )
})

const shell = { tools: ['Bash'], params: ['command'] }
const rules = (dialect: AgentRules['dialect']): AgentRules => ({
  dialect,
  refusals: [{ tool: 'Glob', reason: 'Use the tool Grep instead of this one.' }],
  edits: [
    { ...pip, ...shell },
    { ...scp, ...shell, message: 'Our scp wants -R' },
    { kind: 'literal', from: '/app', to: '/work', tools: ['Read'], params: ['file_path'] },
  ],
})
const call = (tool: string, input: unknown) => ({
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: input,
})

describe('the answer', () => {
  it('corrects the whole input, and leaves the permission to the CLI', () => {
    const input = { command: 'pip list; scp -r a b', description: 'pip' }
    const corrected = { command: 'pip3 list; scp -R a b', description: 'pip' }
    expect(decide(rules('tool-input'), call('Bash', input))).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', tool_input: corrected },
    })
    expect(decide(rules('updated-input'), call('Bash', input))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        updatedInput: corrected,
        additionalContext: 'Remora corrected this call before it ran: pip3 instead of pip; Our scp wants -R',
      },
    })
  })

  it('names the corrected call to Codex', () => {
    expect(decide(rules('refusal'), call('Bash', { command: 'pip list' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason:
          'Corrected by an alias in Remora: Not run (pip3 instead of pip). Call it again with command: pip3 list',
      },
    })
  })

  it('refuses a tool and names the right one', () => {
    const reason = 'Corrected by an alias in Remora: Use the tool Grep instead of this one.'
    expect(decide(rules('tool-input'), call('Glob', {}))).toEqual({ decision: 'deny', reason })
    expect(decide(rules('updated-input'), call('Glob', {}))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    })
  })

  it.each([
    ['another tool', call('Write', { file_path: '/app/a', command: 'pip' })],
    ['another parameter', call('Read', { path: '/app/a' })],
    ['nothing that matches', call('Bash', { command: 'ls' })],
    ['no input', call('Bash', undefined)],
    ['a list', call('Bash', ['pip'])],
    ['a value that is too long', call('Bash', { command: `pip ${'x'.repeat(20_000)}` })],
    ['no tool', { hook_event_name: 'Stop' }],
    ['nothing', null],
  ])('is empty for %s', (_, payload) => {
    for (const dialect of ['tool-input', 'updated-input', 'refusal'] as const)
      expect(decide(rules(dialect), payload)).toEqual({})
  })
})
