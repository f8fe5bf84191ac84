import type { EventRecord, ToolOutput, ToolStatus } from '@remora/protocol'
import { Story } from '../../../packages/ledger/src/contract/story.test-data.ts'

const answer = `## What I found

The parser **drops the last token** when a line ends in \`\\r\\n\`. Two places need a change:

1. \`src/lexer.ts\` splits by \`\\n\` alone
2. the tests never see a carriage return

| File | Lines | Covered |
|:--|--:|:-:|
| \`src/lexer.ts\` | 212 | yes |
| \`src/parser.ts\` | 480 | partly |

- [x] Reproduce it
- [ ] Write a test

\`\`\`typescript
// Splits a text at either line ending.
export function splitLines(text: string): readonly string[] {
  const lines = text.split(/\\r?\\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
\`\`\`

> The bug exists since the first version.

See [the specification](https://example.org/spec).`

/** An image of one red pixel. */
export const redPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/**
 * A session with a call of every tool in the formats of the agents, and every result status. One of its images is
 * a file; by default it does not exist.
 */
export function galleryStory(picture = '/no/such.png'): {
  readonly story: Story
  readonly records: EventRecord[]
} {
  const story = new Story({ agent: 'gemini', session: 'gallery' })
  let count = 0
  const call = (
    message: string,
    name: string,
    input: unknown,
    result?: { status?: ToolStatus; content?: ToolOutput; display?: unknown },
  ): EventRecord[] => {
    const entity = `call ${++count}`
    return [
      ...story.tell({ type: 'tool_use', entity, message, name, input }),
      ...(result ? story.tell({ type: 'tool_result', entity, status: 'success', ...result }) : []),
    ]
  }
  const records = [
    ...story.tell({
      type: 'session',
      entity: 's',
      cwd: '/home/me/parser',
      model: 'gemini-3-pro',
      title: 'Line endings',
    }),
    ...story.tell({
      type: 'message',
      entity: 'context',
      role: 'user',
      context: true,
      content: [{ type: 'text', text: '<session_context>\nToday is Thursday.\n</session_context>' }],
    }),
    ...story.prompt('The parser loses the last word of files from Windows. Find out why, and fix it.'),
    ...story.tell({
      type: 'thinking',
      entity: 'm1/thinking',
      message: 'm1',
      offset: 0,
      text: 'Files from Windows end lines with two characters. I should check how lines are split.',
      subject: 'Checking line endings',
      final: true,
    }),
    ...story.says('Let me check how lines are split.', 'm1'),
    ...call(
      'm1',
      'Grep',
      { pattern: "split\\('\\\\n'\\)", path: 'src' },
      {
        content:
          "src/lexer.ts:12:  return text.split('\\n')\nsrc/lexer.ts:80:  const rows = body.split('\\n')\nsrc/cli.ts:4:input.split('\\n')",
      },
    ),
    ...call(
      'm1',
      'Read',
      { file_path: '/home/me/parser/src/lexer.ts', offset: 10, limit: 6 },
      {
        content:
          "    10→/** Splits a text into lines. */\n    11→export function splitLines(text: string): string[] {\n    12→  return text.split('\\n')\n    13→}\n    14→\n    15→const end = /[.!?]$/",
      },
    ),
    ...call('m1', 'Glob', { pattern: '**/*.test.ts' }, { content: 'src/lexer.test.ts\nsrc/parser.test.ts' }),
    ...call(
      'm2',
      'Bash',
      { command: "printf 'a b\\r\\n' | npm run parse --silent", description: 'Reproduces it' },
      {
        status: 'error',
        content:
          'Exit code 1\n\u001B[31mError:\u001B[0m unexpected "\\r" at 1:4\n    at Lexer.next (src/lexer.ts:88:11)',
      },
    ),
    ...story.says(answer, 'm3'),
    ...call(
      'm3',
      'TodoWrite',
      {
        todos: [
          { content: 'Reproduce it', status: 'completed' },
          { content: 'Fix the lexer', status: 'in_progress' },
          { content: 'Write a test', status: 'pending' },
          { content: 'Rewrite everything', status: 'cancelled' },
        ],
      },
      { content: 'ok' },
    ),
    ...call(
      'm4',
      'Edit',
      {
        file_path: '/home/me/parser/src/lexer.ts',
        old_string: "  return text.split('\\n')",
        new_string: '  return text.split(/\\r?\\n/)',
      },
      {
        content: 'ok',
        display: {
          fileDiff:
            "--- lexer.ts\n+++ lexer.ts\n@@ -10,4 +10,5 @@\n /** Splits a text into lines. */\n export function splitLines(text: string): string[] {\n-  return text.split('\\n')\n+  // Files from Windows end lines with two characters.\n+  return text.split(/\\r?\\n/)\n }\n",
          filePath: '/home/me/parser/src/lexer.ts',
          isNewFile: false,
        },
      },
    ),
    ...call(
      'm4',
      'Write',
      {
        file_path: '/home/me/parser/src/lexer.test.ts',
        content:
          "import { expect, it } from 'vitest'\nimport { splitLines } from './lexer.ts'\n\nit('splits at both line endings', () => {\n  expect(splitLines('a\\r\\nb')).toEqual(['a', 'b'])\n})\n",
      },
      { content: 'ok' },
    ),
    ...call(
      'm4',
      'Bash',
      { command: 'npm test' },
      {
        content: Array.from(
          { length: 120 },
          (_, index) => ` \u001B[32m✓\u001B[0m test number ${index + 1}`,
        ).join('\n'),
      },
    ),
    ...call(
      'm5',
      'WebFetch',
      { url: 'https://example.org/spec', prompt: 'Which line endings are allowed?' },
      {
        content: '**Both** are allowed, see section 3.',
      },
    ),
    ...call(
      'm5',
      'mcp__github__create_issue',
      { title: 'Line endings', labels: ['bug'] },
      { content: '{"number":42}' },
    ),
    ...call(
      'm5',
      'Bash',
      { command: 'git push --force' },
      { status: 'denied', content: 'The user denied this command.' },
    ),
    ...call('m5', 'Bash', { command: 'sleep 600' }, { status: 'cancelled' }),
    ...call(
      'm5',
      'sharpen_pencil',
      { pencil: 'red', times: 3 },
      { status: 'timeout', content: 'It took too long' },
    ),
    ...call(
      'm6',
      'Task',
      {
        description: 'Search for more',
        prompt: 'Find other places that split lines.',
        subagent_type: 'explorer',
      },
      {
        content: 'There are **no** others.',
      },
    ),
    ...call(
      'm7',
      'ExitPlanMode',
      { plan: '### Plan\n\n1. Fix the lexer\n2. Add a test\n3. Notify the users' },
      { content: 'ok' },
    ),
    ...call(
      'm7',
      'AskUserQuestion',
      {
        questions: [
          {
            question: 'Release it today?',
            options: [{ label: 'Yes', description: 'As 1.2.1' }, { label: 'No' }],
          },
        ],
      },
      { content: 'Yes' },
    ),
    ...story.tell({
      type: 'message',
      entity: 'note',
      role: 'system',
      content: [{ type: 'text', text: 'The conversation was compacted' }],
    }),
    ...story.tell({
      type: 'message',
      entity: 'with picture',
      role: 'user',
      content: [
        { type: 'text', text: 'Like this:\n```js\nlet a = 1\n```' },
        {
          type: 'image',
          name: 'red.png',
          source: {
            type: 'base64',
            media_type: 'image/png',
            data: redPicture,
          },
        },
        { type: 'image', source: { type: 'file', path: picture } },
      ],
    }),
    ...story.says('Done: both line endings are supported and tested.', 'm8'),
    ...story.tell({
      type: 'usage',
      entity: 'm8',
      scope: 'message',
      usage: { inputTokens: 12_345, outputTokens: 67 },
      model: 'gemini-3-pro',
    }),
  ]
  return { story, records }
}
