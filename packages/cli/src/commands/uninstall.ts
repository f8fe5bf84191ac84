import type { Verb } from '../verb.ts'

export const uninstall: Verb = {
  name: 'uninstall',
  description: 'Take every trace of Remora out of every agent; the ledger stays',
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
