import type { Channel } from '@remora/protocol/plain'
import { type ProbeCheck, type ProbeReport, type ProbeVerdict, probeChecks, saveProbe } from '@remora/sdk'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { type Finding, pickAgent, survey } from '../../detection/survey.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { type Colors, colors } from '../../output/colors.ts'
import { oneLine } from '../../output/one-line.ts'
import { Progress } from '../../output/progress.ts'
import { stopCode, writeAll } from '../../output/write-all.ts'
import { probeAgent } from './probe-agent.ts'

const steps = 5 * probeChecks.length

/** Probes the chosen agents, or all installed ones, one after the other. Exit code 1 if a check failed. */
export async function showProbe(input: Input, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const findings = await chooseFindings(input.positionals, io)
  const paint = await colors(input, io)
  const reports: ProbeReport[] = []
  const isJson = input.values['json'] === true
  const progress = new Progress(io)
  for (const finding of findings) {
    const agent = pickAgent(finding.id)
    const name = `${finding.title} ${finding.version ?? ''}`.trim()
    let done = 0
    try {
      const begin = (channel: Channel, check: ProbeCheck): void => {
        progress.update(`Probing ${name}`, done++ / steps, `${channel}: ${check}`)
      }
      const report = await probeAgent(agent, finding, { signal, begin }, io)
      reports.push(report)
      progress.clear()
      if (!isJson) await writeAll(io, formatReport(report, name, paint))
      await store(report, io)
    } catch (error) {
      progress.clear()
      if (signal.aborted) return stopCode(signal)
      throw error
    }
  }
  if (isJson) await writeAll(io, [`${JSON.stringify(reports, null, 2)}\n`])
  return reports.some(({ verdicts }) => verdicts.some(({ verdict }) => verdict === 'failed')) ? 1 : 0
}

async function chooseFindings(ids: readonly string[], io: Io): Promise<Finding[]> {
  for (const id of ids) {
    if (!pickAgent(id).testkit)
      throw new UsageError(
        `${pickAgent(id).title} cannot be probed`,
        'Its definition does not say how to run it offline.',
      )
  }
  const found = (await survey(ids, true, io)).filter(({ id }) => pickAgent(id).testkit)
  const missing = found.find(({ installed }) => !installed)
  const installed = found.filter((finding) => finding.installed)
  if (ids.length > 0 && missing)
    throw await fail(
      'agent_missing',
      missing.problems[0]?.message ?? `${missing.title} is not installed`,
      missing.problems[0]?.hint ?? 'See: remora doctor',
    )
  if (installed.length === 0)
    throw await fail(
      'agent_missing',
      'No agent to probe is installed',
      'For install commands, run: remora doctor',
    )
  return installed
}

/** A home that cannot be written to is only reported. */
async function store(report: ProbeReport, io: Io): Promise<void> {
  await saveProbe(remoraHome(io), report).catch((error: unknown) =>
    io.err(`remora: the result was not stored: ${(error as Error).message}\n`),
  )
}

const marks = { passed: '✓', failed: '✗', none: '–' } as const

/** The table of one agent, channel by check, with the reasons below it. */
export function formatReport(report: ProbeReport, name: string, paint: Colors): string[] {
  const { verdicts, seconds, wrapper } = report
  const channels = [...new Set(verdicts.map(({ channel }) => channel))]
  const head = ['', ...probeChecks]
  const cells = channels.map((channel) => [
    channel,
    ...probeChecks.map((check) => marks[find(verdicts, channel, check)?.verdict ?? 'none']),
  ])
  const width = Math.max(...channels.map((channel) => channel.length))
  const toRow = (row: readonly string[]): string =>
    row
      .map((cell, at) => paintMark(cell.padEnd(at === 0 ? width : probeChecks[at - 1]!.length), paint))
      .join('  ')
      .trimEnd()
  const failed = verdicts.filter(({ verdict }) => verdict === 'failed')
  const reasons = [
    ...new Set(
      verdicts.flatMap(({ verdict, why }) => (verdict === 'none' && why?.startsWith('Needs') ? [why] : [])),
    ),
  ]
  return [
    `${paint.bold(name)}  ${paint.dim(`probed in ${seconds} s${wrapper ? `, ACP through ${wrapper}` : ''}`)}`,
    ...[head, ...cells].map((row) => `  ${toRow(row)}`),
    ...failed.map(
      ({ channel, check, why }) =>
        `  ${paint.red('✗')} ${channel}, ${check}: ${oneLine(why ?? 'failed', 200)}`,
    ),
    ...reasons.map((why) => `  ${paint.dim(`– ${why}`)}`),
    '',
  ].map((line) => `${line}\n`)
}

function paintMark(cell: string, paint: Colors): string {
  const mark = cell.trim()
  if (mark === marks.passed) return paint.green(cell)
  if (mark === marks.failed) return paint.red(cell)
  return mark === marks.none ? paint.dim(cell) : cell
}

function find(
  verdicts: readonly ProbeVerdict[],
  channel: Channel,
  check: ProbeCheck,
): ProbeVerdict | undefined {
  return verdicts.find((each) => each.channel === channel && each.check === check)
}
