import { expect, it } from 'vitest'
import { mask, maskAll } from './mask.ts'
import { secrets } from '../secrets.test-data.ts'

it.each(Object.entries(secrets))('hides a key of %s', (_, secret) => {
  expect(mask(`before "${secret}" after`)).toBe('before "[secret]" after')
  expect(mask(secret)).toBe('[secret]')
  // Escaped in JSON.
  expect(mask(`before\\n${secret}`)).toBe('before\\n[secret]')
})

it('masks the value after a known name, and keeps the name', () => {
  expect(mask('Authorization: Bearer abc.def-ghi~123456')).toBe('Authorization: Bearer [secret]')
  expect(mask(`Basic ${'dXNlcjpw'.repeat(3)}`)).toBe('Basic [secret]')
  expect(mask('postgres://me:hunter2@localhost/db')).toBe('postgres://me:[secret]@localhost/db')
  expect(mask(`aws_secret_access_key = ${'wJalr/+9'.repeat(5)}`)).toBe('aws_secret_access_key = [secret]')
})

it('hides a private key if only its start or end is in the text', () => {
  expect(mask(`x -----BEGIN PRIVATE KEY-----\nMIIEvQ\nabc`)).toBe('x [secret]')
  expect(mask(`abc\nMIIEvQ==\n-----END PRIVATE KEY----- y`)).toBe('[secret] y')
})

it('keeps ordinary text', () => {
  for (const text of [
    '',
    'risk-averse people',
    'the skeleton',
    'Bearer of news',
    'https://example.org/a:b@c',
    'eyJ.',
  ])
    expect(mask(text)).toBe(text)
  expect(mask(`${secrets.github} and ${secrets.aws}`)).toBe('[secret] and [secret]')
})

it('hides secrets in every text of a value, and in names of fields', () => {
  const key = secrets.github
  const value = { [key]: [`echo ${key}`, { deep: key, count: 3, none: null, ok: true }] }
  expect(maskAll(value)).toEqual({
    '[secret]': ['echo [secret]', { deep: '[secret]', count: 3, none: null, ok: true }],
  })
})
