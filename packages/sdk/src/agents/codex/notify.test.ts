import { RemoraError } from '@remora/protocol'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { notifyTarget, findTopStatements } from './notify.ts'
import fc from 'fast-check'

const target = notifyTarget('/home/me/.codex/config.toml')
const command = ['/home/me/.remora/hooks/remora-hook', 'codex']
const ours = [
  { kind: 'record', event: 'Stop', command },
  { kind: 'record', event: 'notify', command },
] as const
const line = 'notify = ["/home/me/.remora/hooks/remora-hook", "codex-notify"]'

describe('notify in config.toml', () => {
  it.each([
    ['an empty file', '', `${line}\n`],
    ['keys alone', 'model = "m"\n', `model = "m"\n${line}\n`],
    ['no line end', 'model = "m"', `model = "m"\n${line}`],
    ['CRLF', 'model = "m"\r\n[a]\r\n', `model = "m"\r\n${line}\r\n[a]\r\n`],
    ['tables alone', '# mine\n[a]\nb = 1\n', `${line}\n# mine\n[a]\nb = 1\n`],
    ['a byte order mark', '\uFEFF[a]\n', `\uFEFF${line}\n[a]\n`],
    [
      'a list over several lines, and the comment of a table',
      'a = [ # "]"\n  "[x]", \'"\',\n] # end\n\n# about b\n[b]\nnotify = ["no"]\n',
      `a = [ # "]"\n  "[x]", '"',\n] # end\n${line}\n\n# about b\n[b]\nnotify = ["no"]\n`,
    ],
    [
      'a text over several lines',
      'a = """\n[t]\nnotify = 1 \\"""\n"""\nc.d = { e = [\'#\'] }\n[b]',
      `a = """\n[t]\nnotify = 1 \\"""\n"""\nc.d = { e = ['#'] }\n${line}\n[b]`,
    ],
  ])('%s', (_, before, after) => {
    expect(target.added(before, ours)).toBe(after)
    expect(target.entries(after)).toContainEqual({
      event: 'notify',
      command: '/home/me/.remora/hooks/remora-hook codex-notify',
      kind: 'record',
    })
    expect(parse(after.replace(/^\uFEFF/, ''))).toMatchObject({
      notify: ['/home/me/.remora/hooks/remora-hook', 'codex-notify'],
    })
    expect(target.removed(after, 'pave')).toBe(after)
    expect(target.removed(after)).toBe(before)
  })

  it('is only added with its event', () => {
    expect(target.added('a = 1\n', [{ kind: 'record', event: 'Stop', command }])).toBe('a = 1\n')
    expect(target.added('a = 1\n', [{ kind: 'pave', event: 'notify', command }])).toBe('a = 1\n')
  })

  it('of the user stays, and is listed', () => {
    const before = `"notify" = [\n  "say", # loud\n  "it's done",\n]\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "beep"\n`
    expect(target.added(before, ours)).toBe(before)
    expect(target.removed(before)).toBe(before)
    expect(target.entries(before)).toEqual([
      { event: 'notify', command: String.raw`say 'it'\''s done'` },
      { event: 'Stop', command: 'beep' },
    ])
  })

  it('is removed from between other lines', () => {
    const touched = `# top\n${line} # why?\nmodel = "m"\n`
    expect(target.removed(touched)).toBe('# top\n# why?\nmodel = "m"\n')
    expect(target.removed(`# top\n${line}\nmodel = "m"\n`)).toBe('# top\nmodel = "m"\n')
  })

  it('keeps special characters of a path', () => {
    const odd = ['/home/m\u00e9 "x"\\\u007F/remora-hook', 'codex']
    const text = target.added('', [{ kind: 'record', event: 'notify', command: odd }])
    expect(parse(text)).toEqual({ notify: [odd[0], 'codex-notify'] })
  })

  it.each(['a = ', '[a', 'a = 1\na = 2\n', 'a = "sk-secret" b'])('refuses %j', (text) => {
    for (const use of [
      () => target.entries(text),
      () => target.added(text, ours),
      () => target.removed(text),
    ]) {
      let error: unknown
      try {
        use()
      } catch (caught) {
        error = caught
      }
      expect(RemoraError.is(error) && error.code).toBe('config')
      expect((error as Error).message).toMatch(/^It is not TOML: line \d/)
      expect((error as Error).message).not.toContain('sk-secret')
    }
  })

  it('is added and removed without a trace in any file', () => {
    const value = fc.constantFrom('1', '"a # [b]"', "'''\n[x]\n'''", '[\n 1, # ]\n [2],\n]', '{ a = "}" }')
    const end = fc.constantFrom('', ' ', ' # notify = []')
    const filler = fc.array(fc.constantFrom('', '# note', '  # [no]', '\t'), { maxLength: 2 })
    const keys = fc.array(fc.tuple(filler, value, end), { maxLength: 4 })
    const config = fc.tuple(keys, filler, fc.boolean(), fc.constantFrom('\n', '\r\n'), fc.boolean())
    fc.assert(
      fc.property(config, ([top, gap, table, eol, last]) => {
        const lines = [
          ...top.flatMap(([above, each, behind], index) => [...above, `k${index} = ${each}${behind}`]),
          ...gap,
          ...(table ? ['[t]', 'notify = ["inner"]'] : []),
        ]
        const text = (lines.join('\n') + (last && lines.length > 0 ? '\n' : '')).replaceAll('\n', eol)
        const after = target.added(text, ours)
        expect(parse(after)).toEqual({
          ...parse(text),
          notify: ['/home/me/.remora/hooks/remora-hook', 'codex-notify'],
        })
        expect(target.removed(after, 'record', text)).toBe(text)
        expect(target.removed(after)).toBe(text)
      }),
    )
  })
})

it('finds the end of statements', () => {
  const text = 'a = "=" # x\n"b c".d = [1,\n2]\n\n[t]\ne = 1'
  expect(findTopStatements(text).map(({ key, start, end }) => [key, text.slice(start, end)])).toEqual([
    ['a', 'a = "="'],
    ['"b c".d', '"b c".d = [1,\n2]'],
  ])
})
