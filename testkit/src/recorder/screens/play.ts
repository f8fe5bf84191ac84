import type { Reply, Scenario } from '@remora/scripted-model'
import type { TerminalStart } from '@remora/sdk'
import type { Home } from '../../home.ts'
import type { Screen } from '../tmux.ts'

/** What is recorded of one CLI beside the scenarios that every CLI plays. */
export interface RecorderPart {
  /** How the CLI is started for scenarios on a terminal. */
  readonly start?: TerminalStart
  readonly plays: readonly Play[]
  /** Scenarios that cannot be recorded. */
  readonly unfit?: readonly string[]
}

/**
 * One run of the terminal interface from its start: what is typed and pressed, and which screens are kept. They lie in
 * `packages/sdk/src/agents/<name>/screens/fixtures/<version>/<play>/`.
 *
 * @example
 * const play: Play = {
 *   name: 'shell',
 *   turns: [[{ tools: [{ name: 'Bash', input: { command: 'touch a' } }] }, { text: 'Done.' }]],
 *   steps: [{ type: 'Do it.' }, { see: /Allow once/, keep: 'asking' }, { keys: ['1'] }, { see: /Done\./, keep: 'done' }],
 * }
 */
export interface Play {
  readonly name: string
  /** The first version of the CLI that it is for; absent: all. */
  readonly since?: string
  /** The first version that it is no more for. */
  readonly until?: string
  /** 120 by 40 unless it says otherwise. */
  readonly columns?: number
  readonly rows?: number
  /** How the CLI is started. */
  readonly start?: TerminalStart
  /** What has to be different in the home. */
  prepare?(home: Home): Promise<void>
  /** Variables that it is started with besides. */
  env?(home: Home): Readonly<Record<string, string>>
  /** What the model says, as in a scenario. */
  readonly turns?: Reply[][]
  readonly steps: readonly PlayStep[]
}

export type PlayStep =
  /** Types a line and presses Enter. */
  | { readonly type: string }
  /** Types without pressing Enter. */
  | { readonly write: string }
  /** Keys by tmux's names, one after the other with a pause between, as a person would. */
  | { readonly keys: readonly string[] }
  /** What only a program can do, such as a file whose name the CLI has just made up. */
  | { readonly do: (home: Home) => Promise<void> }
  /**
   * Waits for a screen, by default until it stands still, and keeps it as `screen-<keep>.txt`. With a list, all must
   * be there; with `not`, none of those may be.
   */
  | {
      readonly see: RegExp | readonly RegExp[]
      readonly not?: RegExp
      readonly keep?: string
      /** For screens that never stand still. */
      readonly moving?: true
    }

/** Whether a screen is the one that a step waits for. The title counts as its first line. */
export function seen(step: Extract<PlayStep, { see: unknown }>, { title, text }: Screen): boolean {
  const all = `${title}\n${text}`
  return [step.see].flat().every((pattern) => pattern.test(all)) && !step.not?.test(all)
}

/** A play as the scenario of a job. */
export function toScenario(play: Play): Scenario {
  return { name: play.name, title: play.name, prompt: 'Play.', turns: play.turns ?? [[{ text: 'Well.' }]] }
}
