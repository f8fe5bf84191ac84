import { describe, expect, it } from 'vitest'
import { collectEvents, talk } from './session.test-data.ts'

const named = (...ids: string[]) => ids.map((id) => ({ id, name: id }))
/** The session of Qwen Code 0.24. */
const selfApproving = {
  modes: { currentModeId: 'auto', availableModes: named('plan', 'default', 'auto-edit', 'auto', 'yolo') },
}
const asks = { ask: () => new Promise<never>(() => {}) }

describe('an agent that starts in a self-approving mode', () => {
  it.each(['deny', 'ask', 'allow', undefined] as const)(
    'is switched to its asking mode with permissions %s',
    async (permissions) => {
      await using talking = await talk({ permissions, asks }, {}, selfApproving)
      expect(talking.session.modes.current).toBe('default')
      expect(talking.session.mode).toBe('default')
    },
  )

  it('is switched if its modes are a configuration option', async () => {
    const options = named('default', 'yolo').map(({ id, name }) => ({ value: id, name }))
    const mode = { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: 'yolo', options }
    await using talking = await talk({ permissions: 'deny' }, {}, { configOptions: [mode] })
    expect(talking.session.modes.current).toBe('default')
  })

  it('stays in the mode that the caller chose', async () => {
    await using talking = await talk({ permissions: 'ask', asks }, { mode: 'auto' }, selfApproving)
    expect(talking.session.mode).toBe('auto')
  })

  it('is refused if the caller chose that mode and denies permissions', async () => {
    const opening = talk({ permissions: 'deny' }, { mode: 'bypass' }, selfApproving)
    await expect(opening).rejects.toMatchObject({ code: 'usage', message: /mode bypass: it never asks/ })
  })

  it('is refused if it has no asking mode', async () => {
    const modes = { currentModeId: 'yolo', availableModes: named('yolo', 'turbo') }
    await expect(talk({ permissions: 'deny' }, {}, { modes })).rejects.toMatchObject({
      code: 'permission',
      message: /starts in mode yolo/,
      hint: /yolo, turbo/,
    })
    await using talking = await talk({ permissions: 'allow' }, {}, { modes })
    expect(talking.session.mode).toBe('bypassPermissions')
  })

  it('is refused if it cannot be switched', async () => {
    const replies = { 'session/set_mode': { error: { code: -32603, message: 'Not now' } } }
    const opening = talk({ permissions: 'ask', asks }, {}, { ...selfApproving, replies })
    await expect(opening).rejects.toMatchObject({ message: /Not now/ })
  })
})

describe('an agent that changes its mode by itself', () => {
  const asking = { modes: { ...selfApproving.modes, currentModeId: 'default' } }

  it('reports the mode by our name, or by its own id', async () => {
    await using talking = await talk({}, {}, asking)
    const events = await collectEvents(talking.session.prompt('mode auto-edit\nmode strange'))
    const reported = events.flatMap((event) =>
      event.type === 'status' && event.status === 'mode' ? [event.value] : [],
    )
    expect(reported).toEqual(['acceptEdits', 'strange'])
    expect(talking.session.mode).toBe('strange')
  })

  it('is switched back if permissions are denied, with a warning', async () => {
    await using talking = await talk({ permissions: 'deny' }, {}, asking)
    const events = await collectEvents(talking.session.prompt('mode yolo'))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'error', severity: 'warning', code: 'permission' }),
    )
    await expect.poll(() => talking.session.mode).toBe('default')
  })

  it('has its turn cancelled if it cannot be switched back', async () => {
    const replies = { 'session/set_mode': { error: { code: -32603, message: 'Not now' } } }
    await using talking = await talk({ permissions: 'deny' }, {}, { ...asking, replies })
    const { error } = await talking.session.prompt('mode yolo\nwait 60000').result
    expect(error).toMatchObject({ code: 'aborted' })
  })

  it('stays there if the user is asked, with a warning', async () => {
    await using talking = await talk({ permissions: 'ask', asks }, {}, asking)
    const events = await collectEvents(talking.session.prompt('mode yolo'))
    expect(events).toContainEqual(
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('bypassPermissions') }),
    )
    expect(talking.session.mode).toBe('bypassPermissions')
  })
})
