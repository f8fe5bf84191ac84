import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const map: Verb = {
  name: 'map',
  description: 'Link a failure pattern to documentation, or unlink it. Without arguments, list the links',
  positionals: [{ name: 'pattern', description: 'Pattern name, part of one, or text with %' }],
  options: {
    doc: { value: 'file or URL', description: 'File or URL of the documentation' },
    excerpt: { value: 'text', description: 'Excerpt to show with the link' },
    tool: { value: 'tool', description: 'Only failures of this tool' },
    delete: { description: 'Remove the link' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora desires map',
    'remora desires map "Bash: missing-command jq" --doc docs/setup.md',
    'remora desires map "edit-mismatch%" --tool Edit --doc docs/editing.md --excerpt "Read the file first"',
    'remora desires map "Bash: missing-command jq" --delete',
  ],
  async run(input, io) {
    const { doc, delete: remove } = input.values
    if (input.positionals.length === 0) {
      if (Object.keys(input.values).some((name) => name !== 'json' && name !== 'color'))
        throw new UsageError('remora desires map needs <pattern>', 'See: remora desires map --help')
      const { listMappings } = await import('./desires/mappings.ts')
      return listMappings(input, io)
    }
    if (remove && doc !== undefined)
      throw new UsageError('Cannot set and delete at the same time', 'Leave out --doc or --delete')
    if (!remove && !doc)
      throw new UsageError('remora desires map needs --doc', 'For example: --doc docs/setup.md')
    const { mapPattern } = await import('./desires/mappings.ts')
    return mapPattern(input, io)
  },
}

export const mappings: Verb = {
  name: 'mappings',
  description: 'List failure patterns linked to documentation',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora desires map', 'remora desires map --json'],
  async run(input, io) {
    const { listMappings } = await import('./desires/mappings.ts')
    return listMappings(input, io)
  },
}
