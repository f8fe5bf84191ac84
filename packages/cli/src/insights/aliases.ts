import type { Verb } from '../command/verb.ts'

export const aliases: Verb = {
  name: 'aliases',
  description: 'List aliases',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora aliases', 'remora aliases --json'],
  async run(input, io) {
    const { listAliases } = await import('./aliases/list-aliases.ts')
    return listAliases(input, io)
  },
}
