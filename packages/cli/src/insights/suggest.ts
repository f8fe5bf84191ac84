import { agentOption, filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const suggest: Verb = {
  name: 'suggest',
  description: 'Suggest fixes for failing calls, most costly pattern first',
  options: {
    top: { short: 'n', value: 'count', description: 'Maximum number of patterns (default: 10)' },
    tool: { value: 'tool', description: 'Only this tool, by its Claude or native name' },
    error: { value: 'text', description: 'Only failures whose error contains this text' },
    since: filterOptions.since,
    until: filterOptions.until,
    agent: agentOption,
    cwd: filterOptions.cwd,
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora desires suggest',
    'remora desires suggest --top 3 --agent gemini',
    'remora desires suggest --tool Bash --error "command not found"',
    'remora desires suggest --json',
  ],
  async run(input, io) {
    const { chosen } = await import('./desires/choose.ts')
    const { showSuggestions } = await import('./pave/suggest.ts')
    return showSuggestions(chosen(input), io)
  },
}
