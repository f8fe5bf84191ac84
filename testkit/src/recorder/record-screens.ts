import { setTimeout as sleep } from 'node:timers/promises'
import { startScriptedModel } from '@remora/scripted-model'
import type { Scenario } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import type { TerminalStart } from '@remora/sdk'
import { createHome } from '../home.ts'
import type { Home } from '../home.ts'
import { provoking } from './provoking.ts'
import { recorderParts } from './recorder-parts.ts'
import { lastWords, stabiliserFor } from './recording.ts'
import type { Files, Stage } from './recording.ts'
import { withoutChance } from './screens/chance.ts'
import { seen } from './screens/play.ts'
import type { Play, PlayStep } from './screens/play.ts'
import { openTerminal } from './tmux.ts'
import type { Screen, Terminal } from './tmux.ts'

/** Types the prompt of a scenario into the terminal interface and keeps the screens: idle, asking, done. @example await recordScreens(stage) */
export async function recordScreens(stage: Stage): Promise<Files> {
  const signs = findAgent(stage.cli.agent)?.testkit?.screen
  if (!signs) return new Map()
  const start = recorderParts.get(stage.cli.agent)?.start
  const { scenario, signal } = stage
  const calm = ({ text }: Screen) => !signs.busy.test(text) && !signs.asking.test(text)
  const end = lastWords(scenario)
  const over = (screen: Screen) => calm(screen) && screen.text.includes(end.split('\n')[0] ?? end)

  const stand: Stand = { scenario: provoking(stage.cli.agent, scenario), ...(start ? { start } : {}) }
  return onStage(stage, stand, async ({ pane, keep }) => {
    keep('idle', await pane.until('idle', (screen) => signs.idle.test(screen.text) && calm(screen), signal))
    await pane.type(scenario.prompt)
    const next = await pane.until(
      'asking or done',
      (screen) => signs.asking.test(screen.text) || over(screen),
      signal,
    )
    if (signs.asking.test(next.text)) {
      keep('asking', next)
      await pane.key('Enter')
    }
    keep('done', await pane.until('done', over, signal))
  })
}

/** Plays a play and keeps the screens that it names. @example await recordPlay(stage, play) */
export function recordPlay(stage: Stage, play: Play): Promise<Files> {
  return onStage(stage, play, async (set) => {
    for (const step of play.steps) await take(step, set, stage.signal)
  })
}

async function take(step: PlayStep, { pane, home, keep }: Set, signal: AbortSignal): Promise<void> {
  if ('type' in step) await pane.type(step.type)
  else if ('write' in step) await pane.write(step.write)
  else if ('keys' in step) {
    for (const key of step.keys) {
      await pane.key(key)
      // Two keys in one burst are taken for a paste.
      await sleep(500)
    }
  } else if ('do' in step) await step.do(home)
  else {
    const wait = step.moving ? pane.glimpse : pane.until
    const screen = await wait(step.keep ?? String(step.see), (now) => seen(step, now), signal)
    if (step.keep !== undefined) keep(step.keep, screen)
  }
}

interface Set {
  readonly home: Home
  readonly pane: Terminal
  keep(state: string, screen: Screen): void
}

interface Stand {
  readonly scenario?: Scenario
  readonly turns?: Scenario['turns']
  readonly start?: TerminalStart
  readonly columns?: number
  readonly rows?: number
  prepare?(home: Home): Promise<void>
  env?(home: Home): Readonly<Record<string, string>>
}

/** Opens the CLI on a terminal, with a model and a home of its own, and gives back the screens that were kept. */
async function onStage({ cli }: Stage, stand: Stand, act: (set: Set) => Promise<void>): Promise<Files> {
  const scenario = stand.scenario ?? {
    name: 'play',
    title: 'A play',
    prompt: 'Play.',
    turns: stand.turns ?? [[{ text: 'Well.' }]],
  }
  await using model = await startScriptedModel({ scenario })
  await using home = await createHome(cli.agent, { version: cli.version, model })
  await stand.prepare?.(home)
  const invocation = findAgent(cli.agent)?.terminal?.invocation(stand.start ?? {}, cli.version)
  const program = cli.path.endsWith('.js') ? [process.execPath, cli.path] : [cli.path]
  const size = { columns: stand.columns ?? 120, rows: stand.rows ?? 40 }
  await using pane = await openTerminal([...program, ...(invocation?.args ?? [])], {
    cwd: home.cwd,
    env: { ...home.env, ...invocation?.env, ...stand.env?.(home) },
    ...size,
    // The bullet of a running tool blinks.
    still: (text) => withoutChance(text).replaceAll(/^● /gm, '  '),
  })

  const stable = stabiliserFor(home, model.port)
  const files = new Map<string, string>()
  const keep = (state: string, screen: Screen) =>
    files.set(`screen-${state}.txt`, withoutChance(stable.text(rendered(screen, size.columns))))
  await act({ home, pane, keep })
  return files
}

/** What a reader of screens is given beside the rows, in the first lines. */
function rendered({ title, text, cursor }: Screen, columns: number): string {
  return `title: ${title}\ncolumns: ${columns}\ncursor: ${cursor.x},${cursor.y}\n\n${text}`
}
