import { expect, it, vi } from 'vitest'

/** The module as a separate process loads it. */
function loadFresh() {
  vi.resetModules()
  return import('./connection.ts')
}

it('names a statement by its text, whichever statement a process prepared first', async () => {
  const [one, other] = ['SELECT 1', 'UPDATE head SET seq = 1']
  const first = await loadFresh()
  const names = [first.getStatementName(one), first.getStatementName(other)]
  const second = await loadFresh()
  expect([second.getStatementName(other), second.getStatementName(one)]).toEqual(names.toReversed())
  expect(new Set(names).size).toBe(2)
  expect(first.getStatementName('CREATE TABLE x ()')).toBeUndefined()
})
