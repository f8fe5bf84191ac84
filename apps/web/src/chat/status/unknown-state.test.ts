import { expect, it } from 'vitest'
import { words } from '../../words/index.ts'
import { getUnknownState } from './unknown-state.ts'

it('does not know the state while the server or the machine is offline', () => {
  expect(getUnknownState({}, true)).toBeUndefined()
  expect(getUnknownState({}, false)).toBe(words.status.offline)
  const node = { id: 'n', name: 'tower' }
  expect(getUnknownState({ node: { ...node, silent: true } }, true)).toBe(words.machines.offline('tower'))
  expect(getUnknownState({ node }, true)).toBeUndefined()
})
