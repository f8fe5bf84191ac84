import { expect, it } from 'vitest'
import { getRequestParts } from './request-parts.ts'

const ask = (input: unknown, more: object = {}) =>
  getRequestParts({ kind: 'permission', title: 'Allow it?', input, ...more })

it('returns a command, its reason and its other fields', () => {
  expect(ask({ command: 'ls', description: 'List', timeout: 5, run_in_background: true })).toEqual({
    command: 'ls',
    note: 'List',
    changes: [],
    fields: [
      { name: 'timeout', text: '5' },
      { name: 'run_in_background', text: 'true' },
    ],
  })
})

it('returns one or several changes of a file', () => {
  const one = ask({ file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true })
  expect(one).toMatchObject({ path: '/a', changes: [{ before: 'x', after: 'y' }] })
  expect(one.fields).toEqual([{ name: 'replace_all', text: 'true' }])
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: '' },
  ]
  expect(ask({ file_path: '/a', edits }).changes).toEqual([
    { before: 'a', after: 'b' },
    { before: 'c', after: '' },
  ])
  expect(ask({ file_path: '/a', content: 'all' })).toMatchObject({ path: '/a', content: 'all' })
})

it('keeps unknown fields', () => {
  expect(
    ask({ file_path: '/a', edits: [{ old_string: 'a', new_string: 'b' }, { delete: 'all' }] }).fields,
  ).toEqual([{ name: 'edits', text: expect.stringContaining('"delete": "all"') }])
  expect(ask({ command: ['rm', '-r'] }).fields).toEqual([
    { name: 'command', text: expect.stringContaining('"rm"') },
  ])
  expect(ask('only words').fields).toEqual([{ name: '', text: 'only words' }])
  expect(ask(['a']).fields).toEqual([{ name: '', text: '[\n  "a"\n]' }])
  // eslint-disable-next-line unicorn/no-null
  expect(ask(null).fields).toEqual([{ name: '', text: 'null' }])
  expect(ask(undefined).fields).toEqual([])
  expect(ask({ content: 'no path' }).fields).toEqual([{ name: 'content', text: 'no path' }])
})

it("returns the agent's other text, unless another part contains it", () => {
  expect(ask({ command: 'touch a' }, { body: ' touch a\n' }).body).toBeUndefined()
  expect(ask({ command: 'rm -r /a' }, { body: 'rm -r / a' }).body).toBe('rm -r / a')
  expect(ask({ command: 'touch a' }, { body: 'touch a && rm b' }).body).toBe('touch a && rm b')
  expect(ask(undefined, { body: ' \n' }).body).toBeUndefined()
  const plan = getRequestParts({ kind: 'plan', title: 'Ready?', body: '1. do it' })
  expect(plan).toMatchObject({ plan: '1. do it' })
  expect(plan.body).toBeUndefined()
})
