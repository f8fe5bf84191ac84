import { RemoraError } from '@remora/protocol'
import { loadScenarios } from '@remora/scripted-model'
import { agents, atLeast } from '@remora/sdk'
import { pinnedVersions } from '../clis.ts'
import { recorderParts } from './recorder-parts.ts'
import { fixtureChannels } from './recording.ts'
import type { FixtureChannel, Job } from './recording.ts'
import { toScenario } from './screens/play.ts'
import type { Play } from './screens/play.ts'

/** What a person asked for; what is left out means all. */
export interface Selection {
  readonly agent?: string
  /** Another version than the pinned ones, for `agent`. */
  readonly version?: string
  readonly scenario?: string
  readonly channels?: readonly FixtureChannel[]
}

/** Scenarios that are recorded on every channel; the others on the headless ones. */
const everywhere: readonly string[] = ['hello', 'write-file', 'shell']

/** A CLI waits minutes for an answer that never comes; tests of their own cover that. */
const endless: readonly string[] = ['fault-silence']

/** Every run to be recorded, such that neighbours are different CLIs. @example await planJobs({ agent: 'gemini' }) */
export async function planJobs(selection: Selection): Promise<Job[]> {
  const scenarios = (await loadScenarios()).filter(
    ({ name }) => !endless.includes(name) && (selection.scenario ?? name) === name,
  )
  const clis = agents()
    .filter((agent) => (selection.agent ?? agent.id) === agent.id)
    .flatMap((agent) => {
      const versions = selection.version ? [selection.version] : pinnedVersions(agent.id)
      return versions.map((version) => ({ agent: agent.id, version }))
    })
  if (clis.length === 0) throw usage(`"${selection.agent}" is no agent with a pinned CLI`)

  const jobs = scenarios.flatMap((scenario) =>
    clis.flatMap((cli): Job[] => {
      if (recorderParts.get(cli.agent)?.unfit?.includes(scenario.name)) return []
      const possible = everywhere.includes(scenario.name) ? fixtureChannels : fixtureChannels.slice(0, 3)
      const channels = possible.filter((channel) => (selection.channels ?? fixtureChannels).includes(channel))
      return channels.length === 0 ? [] : [{ ...cli, scenario, channels }]
    }),
  )
  const plays = clis.flatMap((cli) => listPlays(cli, selection))
  if (jobs.length + plays.length === 0) {
    throw usage(`There is no scenario "${selection.scenario}" to record`)
  }
  return [...jobs, ...plays]
}

function listPlays(cli: { agent: string; version: string }, selection: Selection): Job[] {
  const fits = ({ name, since, until }: Play) =>
    (selection.scenario ?? name) === name &&
    (since === undefined || atLeast(cli.version, since)) &&
    (until === undefined || !atLeast(cli.version, until))
  if (!(selection.channels ?? fixtureChannels).includes('screen')) return []
  const plays = recorderParts.get(cli.agent)?.plays ?? []
  return plays
    .filter(fits)
    .map((play): Job => ({ ...cli, scenario: toScenario(play), channels: ['screen'], play }))
}

function usage(message: string): RemoraError {
  return new RemoraError('usage', message, { hint: 'See docs/fixtures.md.' })
}
