import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const map: Verb = {
  name: 'map',
  description: 'Say where help for a failing pattern stands, or take that back',
  positionals: [
    { name: 'pattern', required: true, description: 'The pattern’s name, a part of it, or a text with %' },
  ],
  options: {
    doc: { value: 'file or URL', description: 'Where the help stands' },
    excerpt: { value: 'text', description: 'The words that matter' },
    tool: { value: 'tool', description: 'Only failures of this tool' },
    delete: { description: 'Take the mapping away' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora map "Bash: missing-command jq" --doc docs/setup.md',
    'remora map "edit-mismatch%" --tool Edit --doc docs/editing.md --excerpt "Read the file first"',
    'remora map "Bash: missing-command jq" --delete',
  ],
  async run(input, io) {
    const { doc, delete: remove } = input.values
    if (remove && doc !== undefined)
      throw new UsageError('Cannot set and delete at once', 'Leave out --doc or --delete')
    if (!remove && !doc)
      throw new UsageError('remora map needs --doc', 'Say where the help stands: --doc docs/setup.md')
    const { mapPattern } = await import('../desires/mappings.ts')
    return mapPattern(input, io)
  },
}
