import { RemoraError } from '@remora/protocol/plain'
import type { Agent } from '@remora/sdk'
import { type Installed, type Problem, hookStatus, installHooks } from '@remora/sdk/hooks'
import { listPresentAgents, readHookScope } from '../../args/choose-agents.ts'
import { exitCode, UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { nearest } from '../../command/nearest.ts'
import type { Input } from '../../command/verb.ts'
import { getAgentPlace } from '../../detection/agent-place.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { type Colors, colors } from '../../output/colors.ts'
import { plural } from '../../output/format-number.ts'
import { homePath } from '../../output/home-path.ts'
import { wrapWords } from '../../output/wrap-words.ts'
import { formatProblems } from './problem-lines.ts'
import { exampleAgent } from '../../detection/agent-names.ts'

interface Outcome {
  readonly agent: Agent
  readonly installed?: Installed
  /** Reasons why the CLI does not run them. */
  readonly problems: readonly Problem[]
  readonly error?: RemoraError
}

/** Installs hooks in the named agents, or in all installed ones, and reports whether the CLIs will run them. */
export async function install(input: Input, io: Io): Promise<number> {
  const chosen = await listPresentAgents(input, io)
  const scope = readHookScope(input, chosen, io)
  const events = readEvents(input, chosen)
  const outcomes: Outcome[] = []
  for (const agent of chosen) {
    const options = {
      place: await getAgentPlace(agent, io),
      remoraHome: remoraHome(io),
      ...(scope === undefined ? {} : { scope }),
    }
    try {
      const installed = await installHooks(agent, { ...options, ...(events ? { events } : {}) })
      const { problems } = await hookStatus(agent, options)
      outcomes.push({ agent, installed, problems })
    } catch (caught) {
      const error = ofAgent(caught)
      // A failure for one agent must not stop the others. With a single agent it is the error.
      if (!error || chosen.length === 1) throw error ?? caught
      outcomes.push({ agent, problems: [], error })
    }
  }
  if (input.values['json']) io.out(`${JSON.stringify(outcomes.map(asJson), null, 2)}\n`)
  else {
    const paint = await colors(input, io)
    const all = input.positionals.length === 0 ? ['For all installed agents:'] : []
    const lines = [
      ...all,
      ...outcomes.flatMap((outcome) => formatOutcome(outcome, paint, io)),
      ...next(outcomes),
    ]
    io.out(`${lines.flatMap((line) => wrapWords(line, io.columns)).join('\n')}\n`)
  }
  const failed = outcomes.find(({ error }) => error)?.error
  return failed ? exitCode(failed.code) : 0
}

function readEvents({ values }: Input, chosen: readonly Agent[]): string[] | undefined {
  if (typeof values['events'] !== 'string') return undefined
  if (chosen.length !== 1)
    throw new UsageError(
      '--events needs exactly one agent',
      `For example: remora hooks install ${exampleAgent} --events …`,
    )
  const events = values['events'].split(',').flatMap((event) => event.trim() || [])
  const { title, hooks } = chosen[0]!
  const known = hooks?.events ?? []
  const unknown = events.find((event) => !known.includes(event))
  if (unknown === undefined) return events
  const near = known.find((event) => event.toLowerCase() === unknown.toLowerCase()) ?? nearest(unknown, known)
  throw new UsageError(
    `Unknown hook event "${unknown}" for ${title}`,
    near === undefined ? `One or more of: ${known.join(', ')}` : `Did you mean ${near}?`,
  )
}

/** A malformed or read-only settings file is not a usage error. */
function ofAgent(error: unknown): RemoraError | undefined {
  if (!RemoraError.is(error) || error.code !== 'config') return RemoraError.is(error) ? error : undefined
  return new RemoraError('input', error.message, {
    ...(error.hint ? { hint: error.hint } : {}),
    cause: error,
  })
}

function formatOutcome({ agent, installed, problems, error }: Outcome, paint: Colors, io: Io): string[] {
  if (error) return [`${paint.red('✗')} ${paint.bold(agent.title)}`, ...formatProblems([error], paint)]
  const { events, files } = installed!
  const mark = problems.length === 0 ? paint.green('✓') : paint.yellow('!')
  const what = files.some(({ changed }) => changed) ? 'installed' : 'unchanged'
  const paths = paint.dim(files.map(({ file }) => homePath(file, io.home)).join(', '))
  return [
    `${mark} ${paint.bold(agent.title)} ${plural(events.length, 'event')}, ${what}  ${paths}`,
    ...formatProblems(problems, paint),
  ]
}

function next(outcomes: readonly Outcome[]): string[] {
  const done = outcomes.filter(({ installed }) => installed?.files.some(({ changed }) => changed))
  if (done.length === 0) return []
  const isUnread = ({ problems }: Outcome): boolean => problems.some(({ code }) => code === 'hooks_unread')
  const when = done.every(isUnread) ? '' : 'Active in new sessions. '
  return [`${when}To undo: remora hooks uninstall`]
}

function asJson({ agent, installed, problems, error }: Outcome): object {
  return { agent: agent.id, ...installed, problems, ...(error ? { error } : {}) }
}
