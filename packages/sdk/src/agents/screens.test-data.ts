import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Screen, type TerminalPart, modes } from '../contract/agent.ts'

/** A recorded screen, and where it is from. */
export interface RecordedScreen {
  /** @example 'screens/fixtures/0.61.0/tools/screen-shell.txt' */
  readonly name: string
  readonly screen: Screen
}

/** All screens of an agent that were recorded, by any play or scenario. @example recordedScreens(import.meta.url) */
export function recordedScreens(test: string): RecordedScreen[] {
  return ['fixtures/', 'screens/fixtures/'].flatMap((folder) => {
    const files = readdirSync(fileURLToPath(new URL(folder, test)), { recursive: true, encoding: 'utf8' })
    return files
      .filter((file) => /screen-[\w-]+\.txt$/.test(file))
      .toSorted()
      .map((file) => ({ name: `${folder}${file}`, screen: recordedScreen(test, `${folder}${file}`) }))
  })
}

/** One recorded screen by its path. @example recordedScreen(import.meta.url, 'screens/fixtures/0.61.0/tools/screen-shell.txt') */
export function recordedScreen(test: string, file: string): Screen {
  const text = readFileSync(fileURLToPath(new URL(file, test)), 'utf8')
  const head = text.slice(0, text.indexOf('\n\n'))
  const about = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const [x = 0, y = 0] = about('cursor').split(',').map(Number)
  const lines = text.slice(head.length + 2).split('\n')
  return { title: about('title'), columns: Number(about('columns') || 120), cursor: { x, y }, lines }
}

/** A screen with nothing on it, to be filled. */
export function emptyScreen(changes: Partial<Screen> = {}): Screen {
  return {
    title: '',
    columns: 120,
    cursor: { x: 0, y: 0 },
    lines: Array.from({ length: 40 }, () => ''),
    ...changes,
  }
}

/** Screens as they come in a terminal that is drawn anew: rows missing, doubled, cut, mixed with others, or plain noise. */
function damagedScreens(recorded: readonly RecordedScreen[]): fc.Arbitrary<Screen> {
  const rows = recorded.flatMap(({ screen }) => screen.lines)
  const noise = fc.string({ unit: fc.constantFrom(...'│╭╰╮╯─╌▀▄●❯✦✕ℹ⎿ >1234.[x]abc ?…()'.split('')) })
  const change = fc.record({
    at: fc.nat(60),
    remove: fc.nat(20),
    add: fc.array(fc.oneof(fc.constantFrom(...rows), noise), { maxLength: 4 }),
    cut: fc.nat(130),
  })
  return fc
    .tuple(
      fc.constantFrom(...recorded.map(({ screen }) => screen)),
      fc.array(change, { maxLength: 4 }),
      fc.nat(130),
    )
    .map(([screen, changes, columns]) => {
      const lines = [...screen.lines]
      for (const { at, remove, add, cut } of changes) {
        lines.splice(at, remove, ...add.map((row) => row.slice(0, cut)))
      }
      return { ...screen, columns, lines }
    })
}

/**
 * What holds of every agent and every screen: it is read without an error, asks only when it says so, and no two options
 * are taken for each other.
 *
 * @example testAnyScreen(terminal, import.meta.url, 'pro')
 */
export function testAnyScreen(terminal: TerminalPart, test: string, model: string): void {
  it('reads any screen without an error, in whatever state it is', () => {
    const recorded = recordedScreens(test)
    expect(recorded.length).toBeGreaterThan(30)
    const anything: fc.Arbitrary<Screen> = fc.record({
      title: fc.string(),
      lines: fc.array(fc.string(), { maxLength: 50 }),
      columns: fc.nat(300),
      cursor: fc.record({ x: fc.nat(300), y: fc.nat(100) }),
    })
    const screens = fc.oneof({ weight: 4, arbitrary: damagedScreens(recorded) }, anything)
    fc.assert(
      fc.property(screens, fc.constantFrom(...modes), fc.nat(25), (screen, mode, step) => {
        const { state, ask } = terminal.read(screen)
        expect(state === 'asking').toBe(ask !== undefined)
        const ids = ask?.options.map(({ id }) => id) ?? []
        expect(new Set(ids).size).toBe(ids.length)
        terminal.switchMode(mode, screen, step)
        terminal.switchModel(model, screen, step)
      }),
      { numRuns: 600 },
    )
  })
}
