import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tool } from '@remora/sdk'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { say } from './taken.ts'

/** Modes, models and folders. */
export function testChoosing(stage: () => Stage, { cannot, distrusts = false }: AcpContractOptions) {
  it('lists its modes to whoever names another, and changes them', async () => {
    const { connection, home } = stage()
    await using session = await stage().open()
    const opening = connection.open({ cwd: home.cwd, mode: 'no-such-mode' })
    const offered = session.modes.offered.map(({ id }) => id)
    if (cannot.includes('modes')) {
      expect(offered).toEqual([])
      await (await opening).close()
      await expect(session.setMode('plan')).rejects.toMatchObject({ code: 'unsupported' })
      return
    }
    await expect(opening).rejects.toMatchObject({
      code: 'unsupported',
      hint: expect.stringContaining(offered.join(', ')),
    })
    await session.setMode('plan')
    const plan = session.modes.current
    expect(offered).toContain(plan)
    expect(session.mode).toBe('plan')
    const { result } = await say(session, 'SAY: planned')
    expect(result).toMatchObject({ ok: true, text: 'planned' })
    await using planning = await stage().open({ mode: 'plan' })
    expect(planning.modes.current).toBe(plan)
  })

  it('lists its models to whoever names another, and changes them', async () => {
    const { connection, home } = stage()
    await using session = await stage().open()
    const opening = connection.open({ cwd: home.cwd, model: 'no-such-model' })
    const offered = session.models.offered.map(({ id }) => id)
    if (cannot.includes('models')) {
      expect(offered).toEqual([])
      await expect(opening).rejects.toMatchObject({ code: 'unsupported' })
      return
    }
    if (cannot.includes('list models')) {
      expect(offered).toEqual([])
      await using other = await opening
      expect(other.models.current).toBe('no-such-model')
      expect((await say(other, 'SAY: by any model')).result).toMatchObject({ ok: true, text: 'by any model' })
      expect(stage().turns('SAY: by any model').at(-1)?.model).toBe('no-such-model')
      return
    }
    await expect(opening).rejects.toMatchObject({
      code: 'model_not_found',
      hint: expect.stringContaining(offered.join(', ')),
    })
    const other = offered.find((id) => id !== session.models.current) ?? offered[0]!
    await session.setModel(other)
    expect(session.models.current).toBe(other)
    const { result } = await say(session, 'SAY: by another model')
    expect(result).toMatchObject({ ok: true, text: 'by another model' })
  })

  it('says at once where it would ignore tools in silence', async () => {
    const { connection, home } = stage()
    const cwd = join(home.path, 'foreign')
    await mkdir(cwd, { recursive: true })
    const add = tool({ name: 'add', description: 'Adds', input: z.object({}), run: () => '' })
    const withTools = connection.open({ cwd, tools: [add] })
    if (!distrusts) {
      await (await withTools).close()
      return
    }
    await expect(withTools).rejects.toMatchObject({ code: 'untrusted' })
    await using session = await stage().open({ cwd })
    const asked = await say(session, 'SAY: 4', { output: z.number() })
    expect(asked.result).toMatchObject({ ok: false, error: { code: 'untrusted' } })
    expect((await say(session, 'SAY: without tools')).result).toMatchObject({ ok: true })
  })
}
