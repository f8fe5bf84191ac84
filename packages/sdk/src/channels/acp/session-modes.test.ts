import { isSelfApproving, modeLikes } from '@remora/protocol/plain'
import { describe, expect, it } from 'vitest'
import { agents } from '../../agents/registry.ts'
import type { AgentMode } from '../../contract/agent.ts'
import { SessionModes, listIds } from './session-modes.ts'

const offer = (...ids: string[]) => ids.map((id) => ({ id, name: id.toUpperCase() }))
const codex = agents().find(({ id }) => id === 'codex')!.acp!
const wrapper = codex.wrappers![0]!.part!.modes!

describe('the modes of a session', () => {
  it('have the ids that the wrapper in use offers', () => {
    const newer = new SessionModes(
      'Codex',
      wrapper,
      offer('read-only', 'workspace-write', 'agent', 'agent-full-access'),
    )
    expect(modeLikes.map((like) => newer.toId(like))).toEqual([
      'read-only',
      'workspace-write',
      'read-only',
      'agent',
      'agent-full-access',
    ])
    const older = new SessionModes('Codex', codex.modes, offer('read-only', 'auto', 'full-access'))
    expect(['ask', 'bypass', 'read-only'].map((word) => older.toId(word))).toEqual([
      'auto',
      'full-access',
      'read-only',
    ])
  })

  it('never take a native id for a main mode that the agent does not have', () => {
    const older = new SessionModes('Codex', codex.modes, offer('read-only', 'auto', 'full-access'))
    expect(older.toName('auto')).toBe('default')
    expect(older.isSelfApproving('auto')).toBe(false)
    expect(() => older.toId('auto')).toThrow(expect.objectContaining({ code: 'unsupported' }))
    const newer = new SessionModes('Codex', wrapper, offer('read-only', 'auto'))
    expect(newer.isSelfApproving('auto')).toBe(true)
  })

  it('are those that the session offers, with its labels, if the agent is known by its command only', () => {
    const modes = new SessionModes('mine', undefined, offer('ask', 'code', 'auto', 'yolo', 'strange'))
    expect(modes.list).toEqual([
      { id: 'ask', label: 'ASK', like: 'ask' },
      { id: 'code', label: 'CODE', like: 'ask' },
      { id: 'auto', label: 'AUTO', like: 'auto' },
      { id: 'yolo', label: 'YOLO', like: 'bypass' },
      { id: 'strange', label: 'STRANGE', like: undefined },
    ])
    expect(['ask', 'code', 'auto', 'yolo', 'strange'].map((id) => modes.toName(id))).toEqual([
      'default',
      'code',
      'auto',
      'bypassPermissions',
      'strange',
    ])
    expect(['default', 'ask', 'code', 'bypass', 'strange'].map((word) => modes.toId(word))).toEqual([
      'ask',
      'ask',
      'code',
      'yolo',
      'strange',
    ])
    expect(modes.list.filter(isSelfApproving).map(({ id }) => id)).toEqual(['auto', 'yolo'])
  })

  it('include a mode that the agent offers and that we do not know', () => {
    const known: AgentMode[] = [{ id: 'build', label: 'Build', like: 'ask' }]
    const modes = new SessionModes('mine', known, offer('build', 'turbo-yolo'))
    expect(modes.list.map(({ id, label }) => [id, label])).toEqual([
      ['build', 'Build'],
      ['turbo-yolo', 'TURBO-YOLO'],
    ])
    expect(modes.isSelfApproving('turbo-yolo')).toBe(true)
  })
})

/** Every agent over ACP, and every wrapper, with its modes. */
const tables = agents().flatMap(({ id, acp, modes }) =>
  !acp
    ? []
    : [{ modes: acp.modes }, ...(acp.wrappers ?? []).map(({ part }) => ({ modes: part?.modes }))].map(
        (part, index) => ({ name: `${id} ${index}`, table: part.modes ?? acp.modes ?? modes ?? [] }),
      ),
)

describe.each(tables)('the modes of $name over ACP', ({ table }) => {
  const offered = offer(...new Set(table.flatMap(listIds)))
  const modes = new SessionModes('It', table, offered)

  it('come back from the ids that they are set by', () => {
    for (const mode of table.filter((each) => listIds(each).length > 0)) {
      const id = modes.toId(mode.id)
      expect(listIds(mode)).toContain(id)
      expect(modes.toId(modes.toName(id))).toBe(id)
    }
  })

  it('run tools without asking in the same modes as the agent', () => {
    for (const mode of table)
      for (const id of listIds(mode))
        expect(modes.isSelfApproving(id)).toBe(mode.like === 'auto' || mode.like === 'bypass')
  })
})
