import type { Verb } from '../command/verb.ts'
import type { Finding } from '../detection/survey.ts'

export const agents: Verb = {
  name: 'agents',
  description: 'List supported agents and their channels',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: { json: { description: 'Print a JSON array' } },
  examples: [
    'remora agents',
    'remora agents gemini --json',
    'remora agents add --acp mine -- my-agent --acp',
    'remora agents remove mine',
  ],
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
    const { table } = await import('../output/table.ts')
    const rows = findings.map((finding) => ({
      cells: [
        finding.id,
        finding.title,
        finding.installed ? (finding.version ?? (finding.added ? '-' : 'unknown')) : '-',
        describeChannels(finding),
        finding.path ?? (isBroken(finding) ? 'not loaded' : 'not installed'),
      ],
      paint: finding.installed ? undefined : paint.dim,
    }))
    const columns = [
      { title: 'AGENT' },
      { title: 'NAME', from: 75 },
      { title: 'VERSION' },
      { title: 'CHANNELS', least: 12 },
      { title: 'PATH', least: 13, cut: 'start' },
    ] as const
    for (const line of table(columns, rows, io.columns ?? 1000, paint)) io.out(`${line}\n`)
    const { describeDrift } = await import('../detection/describe-drift.ts')
    const { wrapWords } = await import('../output/wrap-words.ts')
    const notes = findings.flatMap(({ wrapper }) => (wrapper?.advice ? [`→ ${wrapper.advice}`] : []))
    for (const finding of findings) {
      const drift = describeDrift(finding)
      if (drift) notes.push(`→ ${drift.message}. ${drift.hint}`)
    }
    for (const { problems } of findings.filter(isBroken))
      notes.push(...problems.flatMap(({ message, hint }) => [`! ${message}`, `  → ${hint}`]))
    if (!findings.some(({ installed }) => installed))
      notes.push('', 'No agent is installed. For install commands, run: remora doctor')
    for (const line of notes.flatMap((note) => wrapWords(note, io.columns))) io.out(`${line}\n`)
    return 0
  },
}

function isBroken({ problems }: Finding): boolean {
  return problems.some(({ code }) => code.startsWith('plugin_'))
}
