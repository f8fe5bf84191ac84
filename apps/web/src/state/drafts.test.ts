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

it('moves when the session gets its id', () => {
  writeDraft(early, { text: 'begun' })
  moveDraft(early, known)
  expect(readDraft(known).text).toBe('begun')
  expect(readDraft(early).text).toBe('')
})

it('does not replace an existing draft', () => {
  writeDraft(early, { text: 'old' })
  writeDraft(known, { text: 'new' })
  moveDraft(early, known)
  expect(readDraft(known).text).toBe('new')
})

it('stores no empty draft', () => {
  writeDraft(known, { text: 'x' })
  writeDraft(known, { text: '', files: [] })
  expect(stored.size).toBe(0)
})
