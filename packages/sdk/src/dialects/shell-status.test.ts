import { expect, it } from 'vitest'
import { shellStatus, parseExitCode } from './shell-status.ts'

const timeout =
  'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.'

it.each([
  ['error', 'Output: oops\nExit Code: 3\nProcess Group PGID: 7'],
  ['error', '<untrusted_context>\nOutput: oops\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>'],
  [
    'error',
    'Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /tmp/x\n<untrusted_context>\nOutput: 1\n...\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>',
  ],
  [
    'error',
    '<untrusted_context>\nOutput too large. Full output available at: /tmp/x\nOutput: 1\nExit Code: 1\n</untrusted_context>',
  ],
  ['error', 'Output: (empty)\nSignal: 9\nProcess Group PGID: 7'],
  ['error', 'Command exited with code: 3'],
  ['error', 'Command terminated by signal: SIGTERM'],
  ['error', 'Command failed: spawn ENOENT'],
  ['timeout', `${timeout} There was no output before it was cancelled.`],
  [
    'timeout',
    `<untrusted_context>\n${timeout} Below is the output before it was cancelled:\nx\n</untrusted_context>`,
  ],
  ['timeout', timeout],
  ['cancelled', 'Command was cancelled by user before it could complete. There was no output.'],
  ['cancelled', 'Command cancelled by user.\n\nOutput before cancellation:\nx'],
  ['success', 'Output: fine\nProcess Group PGID: 7'],
  [
    'success',
    'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7',
  ],
  [
    'success',
    'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7',
  ],
  [
    'error',
    'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: (none)\nSignal: 15\nBackground PIDs: (none)\nProcess Group PGID: 7',
  ],
  ['success', 'what the command itself says\nExit Code: 3'],
  ['success', 'Command exited with code: 3\nsays a log that was shown'],
  ['success', 'Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view.'],
  ['success', ''],
])('is %s: %j', (status, text) => {
  expect(shellStatus(text)).toBe(status)
})

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
