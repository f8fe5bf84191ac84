import { roleNames } from '../role-names.ts'
import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const people: Verb = {
  name: 'people',
  description: 'List the people whose devices may come in, give one another role, or shut one out',
  positionals: [
    { name: 'action', description: 'role gives another role, remove shuts out with all devices' },
    { name: 'name', description: 'Of the person' },
    { name: 'role', description: 'owner (everything), member (prompts and answers), viewer (only looks)' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora people', 'remora people role Bob member', 'remora people remove Bob'],
  async run(input, io) {
    const [action, name, role] = input.positionals
    if (action !== undefined && action !== 'role' && action !== 'remove')
      throw new UsageError(
        `remora people cannot "${action}"`,
        'It can: remora people role <name> <role>, remora people remove <name>',
      )
    if (action !== undefined && name === undefined)
      throw new UsageError(`remora people ${action} needs <name>`, 'See them: remora people')
    if (action === 'role' && !roleNames.some((each) => each === role))
      throw new UsageError(
        role === undefined ? 'remora people role needs <role>' : `There is no role "${role}"`,
        `One of: ${roleNames.join(', ')}`,
      )
    if (action === 'remove' && role !== undefined)
      throw new UsageError(
        `remora people remove does not know what to do with "${role}"`,
        'A name of several words stands in quotes.',
      )
    const { people: run } = await import('../live/people.ts')
    return run(input, io)
  },
}
