import type { Verb } from '../command/verb.ts'

export const guard: Verb = {
  name: 'guard',
  description: 'Turn off automatic session deletion in agents. Exits with 1 if changes are left',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: {
    yes: { short: 'y', description: 'Make the changes without asking' },
    json: { description: 'Print a JSON array without asking' },
  },
  examples: ['remora agents guard', 'remora agents guard --yes', 'remora agents guard gemini --json'],
  async run(input, io) {
    const { guardAgents } = await import('./guard-agents.ts')
    return guardAgents(input, io)
  },
}
