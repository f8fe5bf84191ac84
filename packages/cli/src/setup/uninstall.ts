import type { Verb } from '../command/verb.ts'

export const uninstall: Verb = {
  name: 'uninstall',
  description: 'Restore the settings of all agents and list remaining files',
  options: {
    yes: { short: 'y', description: 'Do not ask for confirmation' },
    json: {
      description: 'Print a JSON object. Without --yes, print the plan, change nothing, exit with 1',
    },
  },
  examples: ['remora uninstall', 'remora uninstall --yes', 'remora uninstall --yes --json'],
  async run(input, io) {
    const { uninstallAll } = await import('./uninstall-all.ts')
    return uninstallAll(input, io)
  },
}
