import type { Verb } from '../command/verb.ts'

export const mappings: Verb = {
  name: 'mappings',
  description: 'List failure patterns linked to documentation',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora mappings', 'remora mappings --json'],
  async run(input, io) {
    const { listMappings } = await import('./desires/mappings.ts')
    return listMappings(input, io)
  },
}
