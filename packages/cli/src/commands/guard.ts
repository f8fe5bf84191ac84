import type { Verb } from '../verb.ts'

export const guard: Verb = {
  name: 'guard',
  description: 'Keep agents from deleting sessions by themselves; exits with 1 if something is left to do',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: {
    yes: { short: 'y', description: 'Change what there is to change, without asking' },
    json: { description: 'Print a JSON array; asks nothing' },
  },
  examples: ['remora guard', 'remora guard --yes', 'remora guard gemini --json'],
  async run(input, io) {
    const { guardAgents } = await import('../guard/guard-agents.ts')
    return guardAgents(input, io)
  },
}
