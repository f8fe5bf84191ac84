import type { Verb } from '../command/verb.ts'

export const agents: Verb = {
  name: 'agents',
  description: 'List supported agents and their channels',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora agents', 'remora agents gemini --json'],
  async run(input, io) {
    const { survey } = await import('../detection/survey.ts')
    const findings = await survey(input.positionals, false, io)
    if (input.values['json']) {
      io.out(`${JSON.stringify(findings, null, 2)}\n`)
      return 0
    }
    const { colors } = await import('../output/colors.ts')
    const paint = await colors(input, io)
    const { describeChannels } = await import('../detection/describe-channels.ts')
    const rows = findings.map((finding) => [
      finding.id,
      finding.title,
      finding.installed ? (finding.version ?? 'unknown') : '-',
      describeChannels(finding),
      finding.path ?? 'not installed',
    ])
    const table = [['AGENT', 'NAME', 'VERSION', 'CHANNELS', 'PATH'], ...rows]
    const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
    table.forEach((row, index) => {
      const line = row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
      const dim = index === 0 || !findings[index - 1]!.installed
      io.out(`${dim ? paint.dim(line) : line}\n`)
    })
    for (const { wrapper } of findings) if (wrapper?.advice) io.out(`→ ${wrapper.advice}\n`)
    if (!findings.some(({ installed }) => installed))
      io.out('\nNo agent is installed. For install commands, run: remora doctor\n')
    return 0
  },
}
