import { expect, it } from 'vitest'
import { listMedia, readOutput, textIn, toBlocks, toParts } from './gemini-parts.ts'

const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } }

it('reads text without thoughts, calls and results', () => {
  expect(textIn('Hi')).toBe('Hi')
  expect(textIn([{ text: 'Hm', thought: true }, { text: 'a' }, 'b', { functionCall: {} }])).toBe('ab')
  expect(toParts(undefined)).toEqual([])
})

it.each([
  [
    [{ text: 'Hi' }, image],
    [{ type: 'text', text: 'Hi' }, { type: 'image' }],
  ],
  ['/git:commit now', [{ type: 'slash_command', command: '/git:commit', args: 'now' }]],
  [[{ functionResponse: { id: 'c' } }], []],
  [[{ executableCode: { code: '1' } }], [{ type: 'text', text: '{"executableCode":{"code":"1"}}' }]],
])('reads %j as blocks', (content, blocks) => {
  expect(toBlocks(content)).toMatchObject(blocks)
})

it('reads media by bytes and by address', () => {
  const file = { fileData: { fileUri: 'https://example.com/a.pdf' } }
  expect(listMedia([image, file])).toEqual([
    { kind: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { kind: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  ])
})

it('reads the output of one call among the parts of several', () => {
  const answer = (id: string, response: object) => ({ functionResponse: { id, response } })
  const parts = [answer('a', { output: 'one' }), answer('b', { error: 'two' })]
  expect(readOutput('a', parts)).toBe('one')
  expect(readOutput('b', parts)).toBe('two')
  expect(readOutput('a', [answer('a', { output: 'one' }), image])).toMatchObject([
    { type: 'text', text: 'one' },
    { type: 'image' },
  ])
  expect(readOutput('a', [])).toBeUndefined()
})
