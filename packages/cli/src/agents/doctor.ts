import type { Problem } from '@remora/sdk'
import type { Colors } from '../output/colors.ts'
import type { Io } from '../command/io.ts'
import { machineLacks } from './machine-lacks.ts'
import { sayWrapper } from '../detection/describe-channels.ts'
import type { Finding } from '../detection/survey.ts'
import type { Verb } from '../command/verb.ts'
import { version } from '../command/version.ts'

export const doctor: Verb = {
  name: 'doctor',
  description: 'Check agents, credentials and settings',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: {
    brief: { description: 'Print one line per agent' },
    json: { description: 'Print a JSON array' },
  },
  examples: ['remora doctor', 'remora doctor gemini', 'remora doctor --json'],
  async run(input, io) {
    const { survey } = await import('../detection/survey.ts')
    const { colors } = await import('../output/colors.ts')
    const { withHookProblems } = await import('../detection/hook-problems.ts')
    const found = await survey(input.positionals, true, io)
    const findings = await Promise.all(found.map((finding) => withHookProblems(finding, io)))
    if (input.values['json']) io.out(`${JSON.stringify(findings, null, 2)}\n`)
    else if (input.values['brief']) {
      const { briefLines } = await import('./brief.ts')
      io.out(
        briefLines(findings, await colors(input, io))
          .map((line) => `${line}\n`)
          .join(''),
      )
    } else {
      const { ledgerHealth } = await import('../ledger/ledger-health.ts')
      const { liveLines } = await import('./server-findings.ts')
      const paint = await colors(input, io)
      tell(findings, [...(await ledgerHealth(paint, io)), ...(await liveLines(paint, io))], paint, io)
    }
    return 0
  },
}

function tell(findings: readonly Finding[], state: readonly string[], paint: Colors, io: Io): void {
  // What is wrong with the machine is listed with every agent it concerns, and told once.
  const machine = shared(findings)
  const lines = [`Remora ${version} on Node ${process.versions.node}, checked in ${io.cwd}`, '']
  for (const finding of findings) {
    const own = finding.problems.filter(({ code }) => !machine.some((problem) => problem.code === code))
    lines.push(headline(finding, own.length, paint), ...wrapperLines(finding, paint))
    // The headline says already that it is missing; what is left to say is how to get it.
    for (const problem of own)
      lines.push(...(problem.code === 'agent_missing' ? [`    → ${problem.hint}`] : explain(problem, paint)))
  }
  lines.push(...state)
  if (machine.length > 0) lines.push('', 'This machine:')
  for (const problem of machine) lines.push(...explain(problem, paint))
  io.out([...lines, '', ...nextStep(findings, machine), ''].join('\n'))
}

function headline(
  { title, installed, version: found, path }: Finding,
  problems: number,
  paint: Colors,
): string {
  if (!installed) return paint.dim(`- ${title} is not installed`)
  const mark = problems === 0 ? paint.green('✓') : paint.yellow('!')
  return `${mark} ${paint.bold(title)} ${found ?? '(version unknown)'}  ${paint.dim(path ?? '')}`
}

/** How the agent is reached over ACP, where it does not speak it itself. */
function wrapperLines({ installed, wrapper, title }: Finding, paint: Colors): string[] {
  if (!installed || !wrapper) return []
  return [
    `    ${paint.dim(sayWrapper(wrapper, title))}`,
    ...(wrapper.advice === null ? [] : [`    → ${wrapper.advice}`]),
  ]
}

function explain({ message, hint }: Problem, paint: Colors): string[] {
  return [`    ${paint.yellow(message)}`, `    → ${hint}`]
}

function nextStep(findings: readonly Finding[], machine: readonly Problem[]): string[] {
  const installed = findings.filter((finding) => finding.installed)
  const ready = installed.filter(({ problems }) =>
    problems.every(({ code }) => machine.some((problem) => problem.code === code)),
  )
  if (installed.length === 0)
    return ['No agent is installed. Install one with a command above, or try the demo: remora demo']
  const names = (list: readonly Finding[]) => list.map(({ id }) => id).join(', ')
  if (ready.length === installed.length) {
    const lacks = machine.map(({ code }) => `${machineLacks[code]}, see above.`)
    return [`Ready: ${names(ready)}. ${lacks.join(' ') || 'No problems found.'}`]
  }
  const rest = installed.filter((finding) => !ready.includes(finding))
  return [
    ...(ready.length > 0 ? [`Ready: ${names(ready)}.`] : []),
    `Next: follow the lines with → for ${names(rest)}, then run remora doctor again.`,
  ]
}

function shared(findings: readonly Finding[]): Problem[] {
  const problems = new Map<string, Problem>()
  for (const finding of findings)
    for (const problem of finding.problems)
      if (Object.hasOwn(machineLacks, problem.code)) problems.set(problem.code, problem)
  return [...problems.values()]
}
