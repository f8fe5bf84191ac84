import { hostname, release } from 'node:os'
import { dirname } from 'node:path'
import type { Scenario } from '@remora/scripted-model'
import { repository } from '../clis.ts'
import type { InstalledCli } from '../clis.ts'
import type { Home } from '../home.ts'
import type { Play } from './screens/play.ts'
import { createStabiliser } from './stabilise.ts'
import type { Stabiliser } from './stabilise.ts'

/** What can be recorded. One headless run gives the first three. */
export const fixtureChannels = ['stream', 'session', 'hooks', 'acp', 'screen'] as const
export type FixtureChannel = (typeof fixtureChannels)[number]

/** One run to be recorded. */
export interface Job {
  readonly agent: string
  readonly version: string
  readonly scenario: Scenario
  readonly channels: readonly FixtureChannel[]
  /** Screens of their own; then the scenario is only its name. */
  readonly play?: Play
}

/** The files of one scenario by name, made stable. */
export type Files = ReadonlyMap<string, string>

export interface Recording extends Job {
  readonly files: Files
}

/** What every recorder gets. */
export interface Stage {
  readonly cli: InstalledCli
  readonly scenario: Scenario
  readonly signal: AbortSignal
}

/** Ids are consistent within one run; runs share none. @example const stabilise = stabiliserFor(home, model.port) */
export function stabiliserFor(home: Home, port: number): Stabiliser {
  const folder = dirname(home.path)
  return createStabiliser({
    literals: {
      [home.path]: '/home/user',
      // Without the first slash, and as a name: OpenCode and Claude make such.
      [home.path.slice(1)]: 'home/user',
      [home.path.replaceAll(/[^\w]/g, '-')]: '-home-user',
      [folder]: '/home',
      [`127.0.0.1:${port}`]: '127.0.0.1:1',
      [repository]: '/opt/remora',
      [hostname()]: 'localhost',
      [release()]: '6.0.0',
    },
  })
}

/** The last words of the scenario's first turn, by which its end is known. @example lastWords(scenario) // 'The note is written.' */
export function lastWords(scenario: Scenario): string {
  const text = scenario.turns[0]?.at(-1)?.text ?? ''
  return typeof text === 'string' ? text : text.join('')
}
