import { expect, it } from 'vitest'
import { toPromptParts } from './prompt-parts.ts'

it('passes text as text, and slash commands as they are typed', () => {
  expect(toPromptParts([{ type: 'text', text: 'hi' }])).toBe('hi')
  expect(toPromptParts([{ type: 'slash_command', command: 'review', args: 'src' }])).toBe('/review src')
  expect(toPromptParts([{ type: 'slash_command', command: '/help' }])).toBe('/help')
})

it('passes images, files and links', () => {
  expect(
    toPromptParts([
      { type: 'text', text: 'look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'document', source: { type: 'file', path: '/a/b.pdf', media_type: 'application/pdf' } },
      { type: 'video', source: { type: 'url', url: 'https://example.org/v' }, name: 'v' },
    ]),
  ).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image', data: 'AA==', mediaType: 'image/png' },
    { type: 'file', path: '/a/b.pdf', mediaType: 'application/pdf' },
    { type: 'link', uri: 'https://example.org/v', name: 'v' },
  ])
})

it('refuses blocks that a prompt cannot contain', () => {
  expect(() => toPromptParts([{ type: 'thinking', thinking: 'hm' }])).toThrow(
    'Unsupported prompt part thinking',
  )
  const video = { type: 'video', source: { type: 'base64', media_type: 'video/mp4', data: 'AA==' } } as const
  expect(() => toPromptParts([video])).toThrow('A prompt cannot contain a video')
})
