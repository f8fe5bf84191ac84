import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readFileSync } from 'node:fs'
import { type Event, type FailureClass, RemoraError, type ToolOutput, failureClasses } from '@remora/protocol'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { sessions } from '@remora/sdk'
import { getCli, pinnedVersions, repository } from '../clis.ts'
import { createHome, type Home } from '../home.ts'
import { launch } from '../launch.ts'
import { equipHome } from './failures-home.ts'
import { type FailingSession, failingSessions } from './failures-provocations.ts'
import { writeFailingProject } from './failures-workspace.ts'
import { createStabiliser, type Stabiliser } from './stabilise.ts'

/** One failed call: what was asked for, what the CLI said, and why it really failed. */
export interface RecordedFailure {
  readonly agent: string
  readonly version: string
  /** Claude's name of the tool, and the CLI's own. */
  readonly tool: string
  readonly native: string
  readonly input: unknown
  readonly status: string
  readonly error: string
  readonly expected: FailureClass
  /** Recorded from the CLI, or made of its words, which were found at `from`. */
  readonly how: 'recorded' | 'generated'
  readonly from?: string
}

/** The versions that fail for us. */
const clis: readonly (readonly [agent: string, version: string | undefined])[] = [
  ['gemini', undefined],
  ['claude', undefined],
  ['codex', undefined],
  ['opencode', undefined],
  ['gemini', '0.34.0'],
]

const file = join(repository, 'packages', 'insights', 'src', 'fixtures', 'failures.jsonl')

/**
 * Makes every CLI fail in all the ways that we know and writes down what it says. Runs of other agents than the chosen
 * one are kept as they were. The result is the number of calls that should have failed and did not.
 *
 * @example await recordFailures({ agent: 'gemini' }, signal)
 */
export async function recordFailures(
  selection: { readonly agent?: string },
  signal: AbortSignal,
): Promise<number> {
  const chosen = clis.filter(([agent]) => (selection.agent ?? agent) === agent)
  if (chosen.length === 0) throw new RemoraError('usage', `"${selection.agent}" has no failures to record`)
  const before = selection.agent === undefined ? [] : await readFailures()
  const kept = before.filter((each) => each.how === 'recorded' && each.agent !== selection.agent)
  const jobs = chosen.flatMap(([agent, version]) =>
    failingSessions(agent, version === undefined).map((session) => ({ agent, version, session })),
  )
  const results: RecordedFailure[][] = []
  let wrong = 0
  const worker = async () => {
    for (let index = started++; index < jobs.length && !signal.aborted; index = started++) {
      const { agent, version, session } = jobs[index]!
      const { failures, complaints } = await recordSession(agent, version, session, signal)
      results[index] = failures
      wrong += complaints.length
      console.error(`[${index + 1}/${jobs.length}] ${agent} ${session.mode}: ${failures.length} failures`)
      for (const complaint of complaints) console.error(`  ${complaint}`)
    }
  }
  let started = 0
  await Promise.all([worker(), worker()])
  signal.throwIfAborted()
  const all = [...kept, ...results.flat(), ...generatedFailures].toSorted((a, b) => rank(a) - rank(b))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, all.map((each) => `${JSON.stringify(each)}\n`).join(''))
  console.error(summary(all))
  return wrong
}

function rank({ agent, version, how }: RecordedFailure): number {
  const place = clis.findIndex(([id, old]) => id === agent && (old ?? pinnedVersions(id)[0]) === version)
  return (how === 'recorded' ? 0 : 100) + (place < 0 ? 99 : place)
}

async function readFailures(): Promise<RecordedFailure[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as RecordedFailure)
}

async function recordSession(
  agent: string,
  wanted: string | undefined,
  session: FailingSession,
  signal: AbortSignal,
): Promise<{ failures: RecordedFailure[]; complaints: string[] }> {
  const scenario: Scenario = {
    name: 'failures',
    title: 'One failing call after the other',
    prompt: 'Try all of it.',
    mode: session.mode,
    turns: [[...session.provocations.map(({ call }) => ({ tools: [call] })), { text: 'That was all.' }]],
  }
  const cli = await getCli(agent, wanted, signal)
  await using model = await startScriptedModel({ scenario })
  await using home = await createHome(agent, { version: cli.version, model })
  await writeFailingProject(home.cwd)
  const extraArgs = await equipHome(home, session)
  const run = await launch(agent, { version: cli.version, home, model, scenario, signal, extraArgs })
  const events = await sessions.events({ agent }, { home: home.path, env: home.env })
  const stable = stabiliserOf(home)
  const calls = callsIn(events)
  const failures: RecordedFailure[] = []
  const complaints: string[] = []
  for (const [index, { expected, call }] of session.provocations.entries()) {
    const name = `${expected ?? 'success'} ${JSON.stringify(call)}`
    const made = calls[index]
    if (!made?.result) complaints.push(`no result: ${name} (exit ${run.code}: ${run.stderr.slice(-300)})`)
    else if ((made.result.status === 'success') !== (expected === undefined))
      complaints.push(`${made.result.status}: ${name}: ${getOutputText(made.result.content).slice(0, 300)}`)
    else if (expected !== undefined) {
      const { use, result } = made
      failures.push({
        agent,
        version: cli.version,
        tool: use.name,
        native: use.native?.name ?? use.name,
        input: scrubbed(stable, use.input),
        status: result.status,
        error: shortened(steady(stable.text(getOutputText(result.content)))),
        expected,
        how: 'recorded',
      })
    }
  }
  return { failures, complaints }
}

type Use = Extract<Event, { type: 'tool_use' }>
type Result = Extract<Event, { type: 'tool_result' }>

/** The calls in the order in which the model made them, each with the last that is known of its end. */
function callsIn(events: readonly Event[]): { use: Use; result?: Result }[] {
  const calls = new Map<string, { use: Use; result?: Result }>()
  for (const event of events) {
    const known = calls.get(event.entity)
    if (event.type === 'tool_use') calls.set(event.entity, { ...known, use: event })
    else if (event.type === 'tool_result' && known) known.result = event
  }
  return [...calls.values()]
}

function getOutputText(content: ToolOutput | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? ''
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

function stabiliserOf(home: Home): Stabiliser {
  return createStabiliser({
    literals: {
      [home.cwd]: '/home/me/project',
      [home.path]: '/home/me',
      [dirname(home.path)]: '/home',
      [repository]: '/opt/remora',
      [process.execPath]: '/usr/bin/node',
    },
  })
}

function scrubbed(stable: Stabiliser, value: unknown): unknown {
  return JSON.parse(stable.text(JSON.stringify(value ?? {})))
}

const longest = 2000

/** What went wrong often stands in the last line. */
function shortened(text: string): string {
  if (text.length <= longest) return text
  const half = longest / 2
  return `${text.slice(0, half - 3)}\n…\n${text.slice(-half)}`
}

/** Numbers of processes and ports, durations and versions of the machine's own programs change from run to run. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/(PGID|PIDs?): [\d, ]+/g, '$1: 1'],
  [/(duration_ms:?) [\d.]+/g, '$1 1'],
  [/\(\d+\.\d+ms\)/g, '(1ms)'],
  [/\bin \d+\.\d+s\b/g, 'in 0.001s'],
  [/\bafter [\d.]+ (ms|milliseconds|seconds)\b/g, 'after 1 $1'],
  [/\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d_\d{3}Z/g, '2026-01-01T00_00_00_000Z'],
  [/--(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d--/g, '--$1 00:00:00--'],
  [/(?<=127\.0\.0\.1:|localhost:|:::)\d{4,5}\b/g, '4000'],
  [/\bpid: \d+/g, 'pid: 1'],
  [/\bport: \d{4,5}\b/g, 'port: 4000'],
  [/ 0x[0-9a-f]{6,}/g, ' 0x1'],
  [/(line \d+: +)\d+ (Segmentation fault)/g, '$11 $2'],
]

function steady(text: string): string {
  return changing.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text)
}

function summary(all: readonly RecordedFailure[]): string {
  const count = (test: (each: RecordedFailure) => boolean) => all.filter(test).length
  const classes = failureClasses.map((name) => `${name} ${count((each) => each.expected === name)}`)
  return `${count((each) => each.how === 'recorded')} recorded, ${count((each) => each.how === 'generated')} generated: ${classes.join(', ')}`
}

/**
 * Failures that no run of ours can provoke, in the words that stand in the programs of the CLIs; `from` names the
 * program. The names of files and the numbers in them are ours.
 */
const generatedFailures: readonly RecordedFailure[] = readFileSync(
  new URL('failures-generated.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedFailure)
