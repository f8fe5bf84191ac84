import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

const actions = ['path', 'size', 'backup', 'prune', 'archive', 'archives']

export const data: Verb = {
  name: 'data',
  description:
    'Where the ledger is, how big it is, a copy of it, or less of it. A database that machines share is kept by month: archive takes months that are over out of it, each into a ledger file of its own, and archives says where they are',
  positionals: [
    { name: 'action', required: true, description: actions.join(', ') },
    { name: 'file', description: 'Where a backup goes; it must not be there yet' },
  ],
  options: {
    before: {
      value: 'time',
      description: 'prune, archive: sessions or months that ended before this: 90d, 2026-01-31',
    },
    to: { value: 'folder', description: 'archive: where the files go; archive in REMORA_HOME by default' },
    yes: { description: 'prune, archive: do not ask' },
    'dry-run': { description: 'prune, archive: say what would go, and change nothing' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora data path',
    'remora data size',
    'remora data backup ~/ledger-backup.db',
    'remora data prune --before 90d --dry-run',
    'remora data archive --before 90d --dry-run',
    'remora data archives',
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
    if (input.values['to'] !== undefined && action !== 'archive')
      throw new UsageError(`remora data ${action} has no --to`, 'See: remora data --help')
    const { dataAction } = await import('../sessions/data.ts')
    return dataAction(action, input, io)
  },
}
