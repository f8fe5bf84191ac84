import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeAgent } from './fake-agent.test-data.ts'
import { holdKeyboard } from './held-keyboard.ts'
import { Pane } from './pane.ts'
import { type Place, eventually, terminalPlace } from './terminal.test-data.ts'

describe('a held keyboard', () => {
  let place: Place
  beforeAll(async () => {
    place = await terminalPlace()
  })
  afterAll(() => place.close())

  const ask = (pane: Pane, what: string): string =>
    place.tmux('display-message', '-p', '-t', pane.address.pane, `#{${what}}`)

  it('blocks keys of other clients, and presses ours only while the ask is shown', async () => {
    const { address } = await place.start()
    const pane = await Pane.open(fakeAgent, address)
    const keyboard = await holdKeyboard(pane)
    place.tmux('send-keys', '-t', address.pane, 'x')
    expect(await keyboard.press({ text: 'a' }, '#{C:FAKE}')).toBe(true)
    expect(await keyboard.press({ text: 'b' }, '#{C:nothing of it}')).toBe(false)
    place.tmux('send-keys', '-t', address.pane, 'y')
    await keyboard.release()
    place.tmux('send-keys', '-t', address.pane, 'z')
    expect(await pane.until(({ input }) => input === 'az', 20_000)).toBe(true)
    await pane.close()
  })

  it('is released after its holder has ended, without output on the screen', async () => {
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
    await expect(keyboard.press({ text: 'late' })).rejects.toThrow()
  })
})
