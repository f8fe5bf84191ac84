import { expect, it } from 'vitest'
import { toItemResult, toOutputResult } from './transcript-results.ts'

const ran = (code: number, output: string) =>
  `Chunk ID: 000000\nWall time: 0.0 seconds\nProcess exited with code ${code}\nOriginal token count: 1\nOutput:\n${output}`

it.each([
  [
    'denied',
    'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never',
  ],
  ['denied', 'Command blocked by PreToolUse hook: not here. Command: ls'],
  ['denied', 'Tool call blocked by PreToolUse hook: not here. Tool: x'],
  ['denied', 'patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings'],
  [
    'denied',
    'exec_command failed: CreateProcess { message: "Rejected(\\"`rm -rf a` rejected: rm -f style commands are not permitted\\")" }',
  ],
  ['error', 'exec_command failed: CreateProcess { message: "No such file or directory" }'],
  ['cancelled', 'aborted by user after 3.2s'],
  ['timeout', 'command timed out after 1000 milliseconds\nsome output'],
  ['timeout', ran(124, '')],
  ['error', 'unsupported call: read_file'],
  ['error', 'failed to parse function arguments: missing field `cmd` at line 1 column 2'],
  ['error', ran(1, 'oops')],
  ['success', ran(0, 'this requires approval, said the file\naborted by user')],
  ['success', 'Plan updated'],
])('reads the status %s from %j', (status, output) => {
  expect(toOutputResult(output).status).toBe(status)
})

it.each([
  ['denied', { error: { message: 'MCP tool call requires approval, but approval policy is never' } }],
  ['denied', { error: { message: 'MCP tool call blocked by app configuration' } }],
  ['cancelled', { error: { message: 'user cancelled MCP tool call' } }],
  ['error', { error: { message: 'the server says no' } }],
  ['error', { status: 'failed' }],
  ['timeout', { status: 'failed', exit_code: 124 }],
])('reads the status %s from the item %j', (status, item) => {
  expect(toItemResult(item).status).toBe(status)
})
