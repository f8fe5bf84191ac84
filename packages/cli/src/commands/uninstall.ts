import type { Verb } from '../verb.ts'

export const uninstall: Verb = {
  name: 'uninstall',
  description: 'Restore the settings of every agent, and list what is left',
  options: {
    yes: { short: 'y', description: 'Do not ask' },
    json: {
      description:
        'Print a JSON object. Without --yes it tells what would be done, does nothing, and ends with 1',
    },
  },
  examples: ['remora uninstall', 'remora uninstall --yes', 'remora uninstall --yes --json'],
  async run(input, io) {
    const { uninstallAll } = await import('../hooks/uninstall-all.ts')
    return uninstallAll(input, io)
  },
}
