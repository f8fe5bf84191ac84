import type { Verb } from '../command/verb.ts'

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
    const { addHookProblems } = await import('../detection/hook-problems.ts')
    const { colors } = await import('../output/colors.ts')
    const found = await survey(input.positionals, true, io)
    const findings = await Promise.all(found.map((finding) => addHookProblems(finding, io)))
    if (input.values['json']) {
      io.out(`${JSON.stringify(findings, null, 2)}\n`)
      return 0
    }
    const { formatBriefReport, formatReport } = await import('./doctor-report.ts')
    const paint = await colors(input, io)
    const lines = input.values['brief']
      ? formatBriefReport(findings, paint)
      : await formatReport(findings, paint, io)
    io.out(lines.map((line) => `${line}\n`).join(''))
    return 0
  },
}
