import type { Verb } from '../verb.ts'

export const uninstall: Verb = {
  name: 'uninstall',
  description: 'Take every trace of Remora out of every agent; the ledger stays',
  options: {
    yes: { short: 'y', description: 'Do not ask' },
    json: { description: 'Print a JSON object; asks nothing' },
  },
  examples: ['remora uninstall', 'remora uninstall --yes'],
  async run(input, io) {
    const { uninstallAll } = await import('../hooks/uninstall-all.ts')
    return uninstallAll(input, io)
  },
}
