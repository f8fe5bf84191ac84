import { beforeEach, expect, it, vi } from 'vitest'
import { moveDraft, readDraft, writeDraft } from './drafts.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})

const early = { agent: 'codex', session: 'l-1' }
const known = { agent: 'codex', session: 'real' }

it('goes along when a session gets an id of its own', () => {
  writeDraft(early, { text: 'begun' })
  moveDraft(early, known)
  expect(readDraft(known).text).toBe('begun')
  expect(readDraft(early).text).toBe('')
})

it('does not take the place of what was written there', () => {
  writeDraft(early, { text: 'old' })
  writeDraft(known, { text: 'new' })
  moveDraft(early, known)
  expect(readDraft(known).text).toBe('new')
})

it('leaves nothing behind that is empty', () => {
  writeDraft(known, { text: 'x' })
  writeDraft(known, { text: '', files: [] })
  expect(stored.size).toBe(0)
})
