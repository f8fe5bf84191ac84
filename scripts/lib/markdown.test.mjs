import { expect, it } from 'vitest'
import { readMarkdown, splitCommands } from './markdown.mjs'

it('reads links, anchors, inline code and blocks', () => {
  const source = [
    '# One, two',
    'See [this](a.md#x) and `npm test`, but not `[that](b.md)`.',
    '```ts continued',
    '[no](link.md)',
    '```',
    '# One, two',
    '<img src="c.png">',
  ].join('\n')
  const { anchors, blocks, code, links } = readMarkdown(source)
  expect([...anchors]).toEqual(['one-two', 'one-two-1'])
  expect(blocks).toEqual([{ language: 'ts', meta: 'continued', text: '[no](link.md)\n' }])
  expect(code).toEqual(['npm test', '[that](b.md)'])
  expect(links).toEqual(['a.md#x', 'c.png'])
})

it.each([
  ['npx remora show 3f2a --html > page.html', [['show', '3f2a', '--html']]],
  ['git log -5 | remora run claude --quiet # | remora no', [['run', 'claude', '--quiet']]],
  ['KEY=a remora map "missing jq" --doc a.md && remora ls', [['map', 'missing jq', '--doc', 'a.md'], ['ls']]],
  ['remora send latest --slash /compact', [['send', 'latest', '--slash', '/compact']]],
  ['remora', [[]]],
  ['claude mcp add remora -- remora mcp', []],
])('splits %s', (line, commands) => {
  expect(splitCommands(line)).toEqual(commands)
})
