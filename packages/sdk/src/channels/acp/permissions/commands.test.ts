import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsCommand, isPlain, touchesCommand } from './commands.ts'

describe('fitsCommand', () => {
  it.each([
    ['npm *', 'npm test', true],
    ['npm *', ' npm run build -- --watch ', true],
    ['npm test', 'npm test', true],
    ['npm test', 'npm test --x', false],
    ['git * status', 'git -C sub status', true],
    ['npm test && npm run lint', 'npm test && npm run lint', true],
    ['npm *', 'npx evil', false],
    ['npm *', 'FOO=1 npm test', false],
  ])('%s, %s: %s', (glob, command, fits) => {
    expect(fitsCommand(glob, command)).toBe(fits)
  })

  it.each([
    'npm test; id',
    'npm test & id',
    'npm test && id',
    'npm test || id',
    'npm test | id',
    'npm test |& id',
    'npm test `id`',
    'npm test $(id)',
    'npm test "$(id)"',
    'npm test <(id)',
    'npm test > ~/.bashrc',
    'npm test >> x',
    'npm test < x',
    'npm test\nid',
    'npm test\r\nid',
    'npm test ${ id; }',
    'npm (id)',
    'npm test ${x:-`id`}',
    'npm test \\\nid',
    'npm test <<< x',
    'npm test\0id',
  ])('matches no * across shell operators: %j', (command) => {
    for (const glob of ['npm *', '*', 'npm test*', '*id*']) expect(fitsCommand(glob, command)).toBe(false)
  })

  it('matches no command with an operator', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 10 })
    const operator = fc.constantFrom(';', '&', '|', '`', '$(', '(', ')', '<', '>', '\n', '\r')
    fc.assert(
      fc.property(words, operator, words, (before, sign, after) => {
        const command = `npm ${before}x${sign}x${after}`
        expect(isPlain(command)).toBe(false)
        expect(fitsCommand('npm *', command)).toBe(false)
      }),
    )
  })

  it('allows nothing that makes a real shell run a second program', () => {
    // No program exists here, so the shell's error message shows an attempt to run one; `:` is a builtin.
    const complains = (command: string) =>
      spawnSync('/bin/sh', ['-c', command], { env: { PATH: '/nowhere' }, encoding: 'utf8' }).stderr.includes(
        'not found',
      )
    expect(complains(': ; touch')).toBe(true)
    expect(complains(': "`touch`"')).toBe(true)
    const bit = fc.constantFrom(
      ' ',
      'touch',
      'x',
      ';',
      '|',
      '\n',
      '`',
      '$(',
      ')',
      '"',
      "'",
      '\\',
      '#',
      '{',
      '}',
      '$',
      '!',
    )
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 8 }), (bits) => {
        const command = `: ${bits.join('')}`
        fc.pre(fitsCommand(': *', command))
        expect(complains(command)).toBe(false)
      }),
      { numRuns: 150 },
    )
  })
})

describe('touchesCommand', () => {
  it.each([
    'rm -rf .',
    'rm',
    'ls; rm x',
    'ls && rm x',
    'ls | rm x',
    'ls\nrm x',
    'echo $(rm x)',
    'echo `rm x`',
    '(rm x)',
    'sudo rm x',
    'sudo -u me /bin/rm x',
    'FOO=1 rm x',
    'env A=1 rm x',
    '/usr/bin/rm  x',
    '"rm" x',
    'r\\m x',
    'bash -lc "rm -rf x"',
    "sh -c 'cd x && rm y'",
    'xargs rm',
    'find . -exec rm {} +',
    'if true; then rm x; fi',
    '{ rm x; }',
    '! rm x',
    'time rm x',
    'cat <(rm x)',
    'true & rm x',
    '2>/dev/null rm x',
    '>a rm x',
    '> "a b" rm x',
    '>>a <b rm x',
    '2>&1 rm x',
    '&>a rm x',
    '>|a rm x',
    '{fd}>a rm x',
    '<<<text rm x',
    'ls; >a A=1 rm x',
    'r\\\nm x',
    'r\\\r\nm x',
    'rm\\\n x',
    'A="a b" rm x',
    "A='a b' B=\\  rm x",
    'A+=1 rm x',
    'a[0]=1 rm x',
    'command rm x',
    'command -p rm x',
    '\\rm x',
    '\'r\'"m" x',
    "$'rm' x",
    '$"rm" x',
    '{rm,x}',
    'sudo 2>/dev/null rm x',
  ])('finds rm in %j', (command) => {
    expect(touchesCommand('rm *', command)).toBe(true)
  })

  it.each(['npm rm x', 'git rm x', 'echo alarm', 'rmdir x', 'docker rm x', 'ls rm'])(
    'finds no rm in %j',
    (command) => {
      expect(touchesCommand('rm *', command)).toBe(false)
    },
  )

  it('finds every command that a real shell looks for', () => {
    // The program does not exist, so the shell's error message shows an attempt to run it.
    const cwd = mkdtempSync(join(tmpdir(), 'remora-commands-'))
    const runs = (command: string) =>
      spawnSync('/bin/sh', ['-c', command], { cwd, env: { PATH: '/nowhere' }, encoding: 'utf8' })
        .stderr.split('\n')
        .some((line) => /: zap: (?:command )?not found/.test(line))
    expect(runs('2>&1 zap')).toBe(false)
    expect(runs('>a zap x')).toBe(true)
    const bit = fc.constantFrom(
      'zap',
      'zap',
      'z\\\nap',
      '\\zap',
      '"zap"',
      "z'a'p",
      ' ',
      ' ',
      '>a ',
      '<a ',
      '>>a',
      '<&0 ',
      '> "a b" ',
      'A=1 ',
      'A="x y" ',
      "B='x y'",
      'command ',
      ':',
      ' x',
      ';',
      '&&',
      '|',
      '\n',
      '\\\n',
      '$(',
      ')',
      '{ ',
      '; }',
      'if :; then ',
      '; fi',
      '! ',
    )
    try {
      fc.assert(
        fc.property(fc.array(bit, { minLength: 1, maxLength: 9 }), (bits) => {
          const command = bits.join('')
          fc.pre(command.replaceAll(/\W/g, '').includes('zap'))
          if (runs(command)) expect(touchesCommand('zap *', command), command).toBe(true)
        }),
        { numRuns: 400 },
      )
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  })

  it('finds a command among any others', () => {
    const plain = fc.constantFrom('ls', 'echo hi', 'npm test -- -x', 'cd "a b"', 'A=1 make')
    const operator = fc.constantFrom(';', ' && ', ' || ', ' | ', ' & ', '\n', ' ; ')
    const others = fc.array(fc.tuple(plain, operator), { maxLength: 4 })
    fc.assert(
      fc.property(others, operator, fc.array(plain, { maxLength: 2 }), (before, sign, after) => {
        const start = before.map((pair) => pair.join('')).join('')
        expect(touchesCommand('git push*', [start + 'git  push origin', ...after].join(sign))).toBe(true)
      }),
    )
  })

  it('matches everything with *, and handles a very long command', () => {
    expect(touchesCommand('*curl*', 'echo a; echo curling')).toBe(true)
    expect(touchesCommand('rm *', `sudo ${'x '.repeat(50_000)}`)).toBe(false)
  })
})
