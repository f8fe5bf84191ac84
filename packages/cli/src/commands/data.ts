import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

const actions = ['path', 'size', 'backup', 'prune']

export const data: Verb = {
  name: 'data',
  description: 'Where the ledger is, how big it is, a copy of it, or less of it',
  positionals: [
    { name: 'action', required: true, description: actions.join(', ') },
    { name: 'file', description: 'Where a backup goes; it must not be there yet' },
  ],
  options: {
    before: { value: 'time', description: 'prune: sessions that ended before this: 90d, 2026-01-31' },
    yes: { description: 'prune: do not ask' },
    'dry-run': { description: 'prune: say what would go, and delete nothing' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora data path',
    'remora data size',
    'remora data backup ~/ledger-backup.db',
    'remora data prune --before 90d --dry-run',
  ],
  async run(input, io) {
    const [action = '', file] = input.positionals
    if (!actions.includes(action))
      throw new UsageError(`remora data cannot "${action}"`, `One of: ${actions.join(', ')}`)
    if (file !== undefined && action !== 'backup')
      throw new UsageError(
        `remora data ${action} does not know what to do with "${file}"`,
        'See: remora data --help',
      )
    const { dataAction } = await import('../sessions/data.ts')
    return dataAction(action, input, io)
  },
}
