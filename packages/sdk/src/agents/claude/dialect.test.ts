import { expect, it } from 'vitest'
import { dialect } from './dialect.ts'

const { toToolStatus } = dialect

it.each([
  ['denied', "Claude requested permissions to use WebFetch, but you haven't granted it yet."],
  ['denied', 'Permission to use Bash with command git push has been denied.'],
  ['denied', 'This command requires approval'],
  ['denied', "touch in '/w/a' needs approval. The path is inside the working directories for this session"],
  ['denied', 'This Bash command contains multiple operations that require approval'],
  ['denied', 'PreToolUse:Bash hook error: [sh forbid.sh]: not here\n'],
  [
    'denied',
    '<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>',
  ],
  ['denied', "The user doesn't want to proceed with this tool use. The tool use was rejected"],
  ['denied', 'The user denied this request.'],
  ['denied', 'The user does not want this to be done.'],
  ['denied', 'User refused permission to run tool'],
  ['denied', 'The user cancelled this prompt.'],
  ['denied', 'Error: User refused permission to run tool'],
  ['error', 'Exit code 1\nUser refused permission to run tool'],
  ['cancelled', "The user doesn't want to take this action right now. STOP what you are doing"],
  ['cancelled', '[Request interrupted by user for tool use]'],
  ['timeout', 'Exit code 143\nCommand timed out after 1s'],
  ['error', '<tool_use_error>Error: No such tool available: LS</tool_use_error>'],
  ['error', 'Exit code 1\nThis command requires approval, says the script'],
  ['error', 'Exit code 1 requires approval'],
])('reads the status %s from %j', (status, text) => {
  expect(toToolStatus(true, text, undefined)).toBe(status)
  expect(toToolStatus(false, text, undefined)).toBe('success')
})
