import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

const actions = ['path', 'size', 'backup', 'prune', 'archive', 'archives']

export const data: Verb = {
  name: 'data',
  description:
    'Show, back up or shrink the ledger. A shared database is stored by month: archive moves past months to files of their own, archives lists them',
  positionals: [
    { name: 'action', required: true, description: actions.join(', ') },
    { name: 'file', description: 'File for the backup; it must not exist' },
  ],
  options: {
    before: {
      value: 'time',
      description: 'prune, archive: only sessions or months that ended before: 90d, 2026-01-31',
    },
    to: { value: 'folder', description: 'archive: folder for the files (default: archive in REMORA_HOME)' },
    yes: { description: 'prune, archive: do not ask for confirmation' },
    'dry-run': { description: 'prune, archive: print changes without making them' },
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
      throw new UsageError(`Unknown action "${action}" for remora data`, `One of: ${actions.join(', ')}`)
    if (file !== undefined && action !== 'backup')
      throw new UsageError(
        `Unexpected argument "${file}" for remora data ${action}`,
        'See: remora data --help',
      )
    if (input.values['to'] !== undefined && action !== 'archive')
      throw new UsageError(`remora data ${action} has no --to`, 'See: remora data --help')
    const { dataAction } = await import('./data-actions.ts')
    return dataAction(action, input, io)
  },
}
