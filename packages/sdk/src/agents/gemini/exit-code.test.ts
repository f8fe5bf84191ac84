import { expect, it } from 'vitest'
import { parseExitCode } from './exit-code.ts'

it.each([
  ['Output: oops\nExit Code: 3\nProcess Group PGID: 30642', 3],
  ['<untrusted_context>\nOutput: oops\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>', 3],
  ['Output: (empty)\nError: x\nExit Code: 127\nSignal: 9\nBackground PIDs: 1, 2\nProcess Group PGID: 1', 127],
  ['Output: (empty)\nExit Code: 1', 1],
  [`Output: ${'x\n'.repeat(10_000)}\nExit Code: 2`, 2],
  ['Output: Exit Code: 3\nand more\nProcess Group PGID: 1', undefined],
  ['Output: fine\nProcess Group PGID: 1', undefined],
  ['', undefined],
])('finds the code in %j', (text, code) => {
  expect(parseExitCode(text)).toBe(code)
})
