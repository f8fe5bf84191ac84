import { readFile } from 'node:fs/promises'
import { Event as EventSchema } from '@remora/protocol'
import { expect, it, vi } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import { makeOlder } from './resuming.ts'
import type { Stage } from './stage.ts'
import { read, say, words } from './taken.ts'

/** An agent that is killed, and one that is started again. */
export function testCrash(stage: () => Stage, { cannot }: AcpContractOptions) {
  it('says that the agent has gone, and goes on with another', async () => {
    const { connection, home } = stage()
    await using session = await stage().open()
    await say(session, 'SAY: what was first')
    let killed = false
    const { events, result } = await read(session.prompt(`SLOW 50\nSAY: ${words(40)}`), ({ type }) => {
      if (type !== 'text' || killed) return
      killed = true
      process.kill(connection.pid, 'SIGKILL')
    })
    const code = cannot.includes('crash at once') ? 'aborted' : 'crashed'
    expect(result).toMatchObject({ ok: false, error: { code } })
    expect(events.at(-1)).toMatchObject({ type: 'done', ok: false })
    expect(await session.prompt('SAY: too early').result).toMatchObject({
      ok: false,
      error: { code: 'crashed' },
    })
    await vi.waitFor(async () => expect(await home.leftovers()).toEqual([]), { timeout: 60_000 })
    await makeOlder(home, session.id)
    const again = connection.restart()
    if (cannot.includes('load')) {
      await expect(again).rejects.toMatchObject({ code: 'unsupported' })
      return
    }
    await again
    const next = await say(session, 'SAY: after the crash')
    expect(next.result).toMatchObject({ ok: true, sessionId: session.id })
    // Some put what was never answered before the new prompt, and the model does both.
    expect(next.result.text).toContain('after the crash')
    expect(stage().bodyOf('SAY: after the crash')).toContain('what was first')
  })
}

/** What must hold when all is over. */
export function testEnd(stage: () => Stage) {
  it('has told every message of the wire, and leaves nothing', async () => {
    const { connection, heard, home, settings } = stage()
    for (const event of heard) EventSchema.parse(event)
    const numbers = new Map<number, string>()
    for (const { origin } of heard) {
      expect(origin.channel).toBe('acp')
      // An agent that was started again has a source of its own; the numbers go on.
      expect(origin.source.replace(/\.\d+$/, '')).toBe(connection.id)
      const [, number, side] = /^(\d+)([ca])\.\d+$/.exec(origin.key) ?? []
      if (number !== undefined) numbers.set(Number(number), side!)
    }
    expect([...numbers.keys()].toSorted((a, b) => a - b)).toEqual(
      Array.from(numbers, (_, index) => index + 1),
    )
    expect([numbers.get(1), numbers.get(2)]).toEqual(['c', 'a'])
    // Every event once.
    const keys = heard.map(({ origin }) => `${origin.source} ${origin.key}`)
    expect(new Set(keys).size).toBe(keys.length)

    expect(await readFile(settings.path, 'utf8')).toBe(settings.text)
    expect((await home.leftovers()).length).toBeGreaterThan(0)
    await connection.close()
    expect(await home.leftovers()).toEqual([])
    await expect(connection.open({ cwd: home.cwd })).rejects.toMatchObject({ code: 'usage' })
  })
}
