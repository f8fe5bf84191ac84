import { expect, it } from 'vitest'
import { DetachKeys } from './detach-keys.ts'

function press(...chunks: readonly string[]): { readonly sent: string; readonly detached: number } {
  let sent = ''
  let detached = 0
  const keys = new DetachKeys(
    (bytes) => (sent += bytes.toString()),
    () => detached++,
  )
  for (const chunk of chunks) keys.read(Buffer.from(chunk))
  return { sent, detached }
}

it.each([
  [['\u0002', 'd']],
  [['\u0002d']],
  [['\u001B[98;5u', 'd']],
  [['\u001B[98;5u', '\u001B[100u']],
  [['\u001B[27;5;98~', 'd']],
])('detaches at Ctrl+B and D: %j', (chunks) => {
  expect(press(...chunks)).toEqual({ sent: '', detached: 1 })
})

it('passes every other key as it is', () => {
  expect(press('a', 'Grüße 😀', '\u001B[A', '\u0003')).toEqual({
    sent: 'aGrüße 😀\u001B[A\u0003',
    detached: 0,
  })
  expect(press('\u0002', 'x')).toEqual({ sent: '\u0002x', detached: 0 })
  expect(press('\u0002', '\u0002', 'd')).toEqual({ sent: '\u0002d', detached: 0 })
  expect(press('pasted \u0002d text')).toEqual({ sent: 'pasted \u0002d text', detached: 0 })
})
