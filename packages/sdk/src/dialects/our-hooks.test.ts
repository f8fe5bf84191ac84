import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { getHookKind, quoteCommand } from './our-hooks.ts'

describe('a command line', () => {
  it.each([
    ['/home/me/.remora/hooks/remora-hook gemini', 'record'],
    [String.raw`'/home/it'\''s me/.remora/hooks/remora-hook' claude`, 'record'],
    ['remora ingest --source gemini-cli', 'record'],
    ['npx remora record --source claude-code', 'record'],
    ['node /home/me/.remora/hooks/remora-pave.mjs gemini', 'pave'],
    ["'/home/a b/.remora/hooks/remora-pave.mjs'", 'pave'],
    ['dp ingest --source gemini-cli', undefined],
    ['bash ~/.clawtap/bridge.sh', undefined],
    ['/home/me/remora-hooks/mine.sh', undefined],
    ['/home/me/remora-pave-lab/mine.mjs', undefined],
    ['remora sessions', undefined],
    ['', undefined],
  ])('%s is of the kind %s', (command, kind) => {
    expect(getHookKind(command)).toBe(kind)
  })

  it.each([['plain'], ['a b'], ["it's"], ['$HOME/${X}$(x)`y`'], ['"\\\\ \t*?~#;&|<>'], [''], ['\u00e4']])(
    'with the word %j is read by a shell as it is meant',
    (word) => {
      const line = quoteCommand(['printf', '%s', word])
      expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(word)
      // Gemini would expand a variable there.
      expect(line).not.toMatch(/\$[\w{]/)
    },
  )
})
