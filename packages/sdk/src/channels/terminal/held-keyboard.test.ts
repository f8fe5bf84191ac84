import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeAgent } from './fake-agent.test-data.ts'
import { holdKeyboard } from './held-keyboard.ts'
import { Pane } from './pane.ts'
import { type Place, drivers, eventually, terminalPlace } from './terminal.test-data.ts'

describe.each(drivers)('a held keyboard of %s', (driver) => {
  let place: Place
  beforeAll(async () => {
    place = await terminalPlace(driver)
  })
  afterAll(() => place.close())

  const ask = (pane: Pane, what: string): string =>
    place.tmux('display-message', '-p', '-t', pane.address.pane, `#{${what}}`)

  it('blocks keys of other clients, and presses ours only while the ask is shown', async () => {
    const terminal = await place.start()
    const pane = await Pane.open(fakeAgent, terminal.address)
    const keyboard = await holdKeyboard(pane)
    await place.type(terminal, 'x')
    expect(await keyboard.press({ text: 'a' }, ['FAKE'])).toBe(true)
    expect(await keyboard.press({ text: 'b' }, ['nothing of it'])).toBe(false)
    await place.type(terminal, 'y')
    await keyboard.release()
    await place.type(terminal, 'z')
    expect(await pane.until(({ input }) => input === 'az', 20_000)).toBe(true)
    await pane.close()
  })

  it.runIf(driver === 'tmux')(
    'is released after its holder has ended, without output on the screen',
    async () => {
      const { address } = await place.start()
      const pane = await Pane.open(fakeAgent, address)
      const released = await holdKeyboard(pane)
      await released.release()
      const keyboard = await holdKeyboard(pane)
      expect(ask(pane, 'pane_input_off')).toBe('1')
      await pane.close()
      await eventually(async () => ask(pane, 'pane_input_off') === '0' || undefined)
      // tmux would show output of its commands in a mode of the pane.
      expect(ask(pane, 'pane_in_mode')).toBe('0')
      await expect(keyboard.press({ text: 'late' }, [])).rejects.toThrow()
    },
  )
})
