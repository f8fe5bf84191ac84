import type { Colors } from '../output/colors.ts'
import { machineLacks } from './machine-lacks.ts'
import { oneLine } from '../output/one-line.ts'
import type { Finding } from '../detection/survey.ts'
import { textWidth } from '../output/text-width.ts'

const notLoggedIn = ['no_credentials', 'login_ended', 'bad_path', 'agent_missing']

/** What doctor finds in one line each, and what to do where no agent could be talked to. */
export function briefLines(findings: readonly Finding[], paint: Colors): string[] {
  const installed = findings.filter((finding) => finding.installed)
  const width = Math.max(0, ...installed.map((finding) => textWidth(nameOf(finding))))
  const missing = findings.filter((finding) => !finding.installed).map(({ title }) => title)
  return [
    ...installed.map((finding) => lineOf(finding, width, paint)),
    ...(missing.length > 0 ? [paint.dim(`- Not installed: ${missing.join(', ')}`)] : []),
    ...(installed.some(isLoggedIn)
      ? []
      : ['', 'No agent is logged in. To try Remora without one: remora demo']),
  ]
}

/** Whether one could talk to it now. */
function isLoggedIn({ problems }: Finding): boolean {
  return problems.every(({ code }) => !notLoggedIn.includes(code))
}

function lineOf(finding: Finding, width: number, paint: Colors): string {
  const { problems } = finding
  const name = nameOf(finding).padEnd(width)
  const [first] = problems
  if (!first) return `${paint.green('✓')} ${name}  ready`
  const more = problems.length > 1 ? ` (${problems.length} problems: remora doctor ${finding.id})` : ''
  // The same mark as in the long form, which reports problems of the machine apart.
  const isReady = problems.every(({ code }) => Object.hasOwn(machineLacks, code))
  return `${isReady ? paint.green('✓') : paint.yellow('!')} ${name}  ${oneLine(first.message, 100)}${paint.dim(more)}`
}

function nameOf({ title, version }: Finding): string {
  return `${title} ${version ?? ''}`.trim()
}
