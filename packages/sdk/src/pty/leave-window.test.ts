import { expect, it } from 'vitest'
import { AlternateScreen, leaveWindow } from './leave-window.ts'
import { ScreenModel } from './screen-model.ts'

/** A terminal of ten rows in which a program has drawn `drawn`, and which then gets back to the user. */
async function leave(drawn: string): Promise<readonly string[]> {
  const alternate = new AlternateScreen()
  alternate.read(Buffer.from(drawn))
  const screen = new ScreenModel(40, 10, () => {})
  screen.write(Buffer.from(drawn), () => {})
  screen.write(Buffer.from(`${leaveWindow({ rows: 10, isAlternate: alternate.isShown })}$ `), () => {})
  await new Promise<void>((resolve) => screen.settle(resolve))
  return screen.screen().lines
}

it('shows what follows below everything that the agent has drawn', async () => {
  const frame = ['answer', '-----', '> input', '-----', 'footer'].join('\r\n')
  const lines = await leave(`\u001B[5;1H${frame}\u001B[7;3H\u001B[2;9r\u001B[7;3H`)
  expect(lines.filter((line) => line !== '')).toEqual(['answer', '-----', '> input', '-----', 'footer', '$'])
  expect(lines.at(-1)).toBe('$')
})

it('shows the screen from before a program that used another one', async () => {
  const lines = await leave('one\r\ntwo\u001B[?1049h\u001B[5;5Hdrawn')
  expect(lines.slice(0, 4)).toEqual(['one', 'two', '$', ''])
})

it('notices the alternate screen also if its sequence arrives in pieces', () => {
  const alternate = new AlternateScreen()
  const read = (...pieces: readonly string[]) => {
    for (const piece of pieces) alternate.read(Buffer.from(piece))
    return alternate.isShown
  }
  expect(read('text \u001B[?25l\u001B[31m')).toBe(false)
  expect(read('a\u001B[?10', '49', 'h')).toBe(true)
  expect(read('more', '\u001B[?1049', '\u001B[?2004l')).toBe(true)
  expect(read('\u001B[?1049;25l')).toBe(false)
  expect(read('\u001B[?1049h\u001B[?1049l\u001B[?1049h')).toBe(true)
})
