import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Problem } from '@remora/sdk'
import type { Io } from '../command/io.ts'
import { version } from '../command/version.ts'
import { describeDrift } from '../detection/describe-drift.ts'
import { describeWrapper } from '../detection/describe-channels.ts'
import { findProgram } from '../detection/find-program.ts'
import { type Finding, hasPty } from '../detection/survey.ts'
import { ledgerPath } from '../home/remora-home.ts'
import { ledgerPlace, sharedDatabase } from '../ledger/ledger-location.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import type { Colors } from '../output/colors.ts'
import { byteSize, plural } from '../output/format-number.ts'
import { oneLine } from '../output/one-line.ts'
import { textWidth } from '../output/text-width.ts'
import { readStatus, formatSessions } from '../server/read-status.ts'

/** Problems of the machine, by code. Every agent they affect reports them; the full report prints them once. */
const machineProblems: Readonly<Record<string, string>> = {
  tmux_missing: 'tmux is missing (needed for live terminal sessions)',
}

/** The full report: agents, ledger, tmux, server, machine, and the next step. */
export async function formatReport(findings: readonly Finding[], paint: Colors, io: Io): Promise<string[]> {
  const machine = getMachineProblems(findings)
  const lines = [`Remora ${version} on Node ${process.versions.node}, checked in ${io.cwd}`, '']
  for (const finding of findings) {
    const own = finding.problems.filter(({ code }) => !machine.some((problem) => problem.code === code))
    lines.push(
      formatAgent(finding, own.length, paint),
      ...formatWrapper(finding, paint),
      ...formatDrift(finding, paint),
    )
    for (const problem of own)
      lines.push(
        ...(problem.code === 'agent_missing' ? [`    → ${problem.hint}`] : formatProblem(problem, paint)),
      )
  }
  lines.push(
    ...(await formatLedger(paint, io)),
    ...(await formatTmux(paint, io)),
    ...(await formatServer(paint, io)),
  )
  if (machine.length > 0) lines.push('', 'This machine:')
  for (const problem of machine) lines.push(...formatProblem(problem, paint))
  return [...lines, '', ...formatNextStep(findings, machine)]
}

const loginProblems = ['no_credentials', 'login_ended', 'bad_path', 'agent_missing']

/** One line per installed agent. */
export function formatBriefReport(findings: readonly Finding[], paint: Colors): string[] {
  const installed = findings.filter((finding) => finding.installed)
  const width = Math.max(0, ...installed.map((finding) => textWidth(getName(finding))))
  const missing = findings.filter((finding) => !finding.installed).map(({ title }) => title)
  const isLoggedIn = installed.some(({ problems }) =>
    problems.every(({ code }) => !loginProblems.includes(code)),
  )
  return [
    ...installed.map((finding) => formatBriefLine(finding, width, paint)),
    ...(missing.length > 0 ? [paint.dim(`- Not installed: ${missing.join(', ')}`)] : []),
    ...(isLoggedIn ? [] : ['', 'No agent is logged in. To try Remora without one: remora demo']),
  ]
}

function formatBriefLine(finding: Finding, width: number, paint: Colors): string {
  const { problems } = finding
  const name = getName(finding).padEnd(width)
  const [first] = problems
  if (!first) return `${paint.green('✓')} ${name}  ready`
  const more = problems.length > 1 ? ` (${problems.length} problems: remora doctor ${finding.id})` : ''
  // The full report marks an agent as ready if only the machine has problems.
  const isReady = problems.every(({ code }) => Object.hasOwn(machineProblems, code))
  return `${isReady ? paint.green('✓') : paint.yellow('!')} ${name}  ${oneLine(first.message, 100)}${paint.dim(more)}`
}

function getName({ title, version: found }: Finding): string {
  return `${title} ${found ?? ''}`.trim()
}

function getMachineProblems(findings: readonly Finding[]): Problem[] {
  const problems = findings.flatMap((finding) => finding.problems)
  return [
    ...new Map(
      problems
        .filter(({ code }) => Object.hasOwn(machineProblems, code))
        .map((problem) => [problem.code, problem]),
    ).values(),
  ]
}

function formatAgent(
  { title, installed, version: found, path }: Finding,
  problems: number,
  paint: Colors,
): string {
  if (!installed) return paint.dim(`- ${title} is not installed`)
  const mark = problems === 0 ? paint.green('✓') : paint.yellow('!')
  return `${mark} ${paint.bold(title)} ${found ?? '(version unknown)'}  ${paint.dim(path ?? '')}`
}

function formatWrapper({ installed, wrapper, title }: Finding, paint: Colors): string[] {
  if (!installed || !wrapper) return []
  return [
    `    ${paint.dim(describeWrapper(wrapper, title))}`,
    ...(wrapper.advice === null ? [] : [`    → ${wrapper.advice}`]),
  ]
}

/** A version without tests is no problem by itself, so the agent stays ready. */
function formatDrift(finding: Finding, paint: Colors): string[] {
  const drift = describeDrift(finding)
  return drift ? [`    ${paint.dim(drift.message)}`, `    → ${drift.hint}`] : []
}

function formatProblem({ message, hint }: { message: string; hint?: string }, paint: Colors): string[] {
  return [`    ${paint.yellow(message)}`, ...(hint ? [`    → ${hint}`] : [])]
}

/** Where the ledger is and whether it opens. The check does not create it. */
async function formatLedger(paint: Colors, io: Io): Promise<string[]> {
  try {
    if ((await sharedDatabase(io)) === undefined && !existsSync(ledgerPath(io)))
      return [paint.dim('- No ledger yet. Create it: remora import')]
    const path = paint.dim(await ledgerPlace(io))
    const { bytes, sessions } = await withLedger(io, (ledger) => ledger.size(), { current: false })
    return [
      `${paint.green('✓')} ${paint.bold('Ledger')} ${byteSize(bytes)}, ${plural(sessions, 'session')}  ${path}`,
    ]
  } catch (error) {
    return [
      `${paint.yellow('!')} ${paint.bold('Ledger')}`,
      ...formatProblem(error as { message: string; hint?: string }, paint),
    ]
  }
}

/** A machine without any terminal has a problem, which is listed elsewhere. */
async function formatTmux(paint: Colors, io: Io): Promise<string[]> {
  const path = await findProgram('tmux', io.env['PATH'])
  if (path === undefined) {
    if (!(await hasPty())) return []
    const note =
      'not installed; live sessions use terminals of Remora, and agents started by hand cannot be adopted'
    return [paint.dim(`- tmux ${note}`)]
  }
  const found = await readTmuxVersion(path)
  if (found === undefined)
    return [`${paint.yellow('!')} ${paint.bold('tmux')} reports no version  ${paint.dim(path)}`]
  return [`${paint.green('✓')} ${paint.bold('tmux')} ${found}  ${paint.dim(path)}`]
}

function readTmuxVersion(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ['-V'], { timeout: 5000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim().replace(/^tmux /, '') || undefined),
    )
  })
}

async function formatServer(paint: Colors, io: Io): Promise<string[]> {
  const { running, url, version: found, sessions = [] } = await readStatus(io)
  if (!running) return [paint.dim('- Server not running. Start it: remora serve')]
  return [
    `${paint.green('✓')} ${paint.bold('Server')} ${found ?? ''}  ${url ?? ''}  ${paint.dim(formatSessions(sessions))}`,
  ]
}

function formatNextStep(findings: readonly Finding[], machine: readonly Problem[]): string[] {
  const installed = findings.filter((finding) => finding.installed)
  const ready = installed.filter(({ problems }) =>
    problems.every(({ code }) => machine.some((problem) => problem.code === code)),
  )
  if (installed.length === 0)
    return ['No agent is installed. Install one with a command above, or try the demo: remora demo']
  const names = (list: readonly Finding[]) => list.map(({ id }) => id).join(', ')
  if (ready.length === installed.length) {
    const missing = machine.map(({ code }) => `${machineProblems[code]}, see above.`)
    return [`Ready: ${names(ready)}. ${missing.join(' ') || 'No problems found.'}`]
  }
  const rest = installed.filter((finding) => !ready.includes(finding))
  return [
    ...(ready.length > 0 ? [`Ready: ${names(ready)}.`] : []),
    `Next: follow the lines with → for ${names(rest)}, then run remora doctor again.`,
  ]
}
