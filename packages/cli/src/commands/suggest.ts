import { filterOptions } from '../filter-options.ts'
import { agentOption } from '../desires/agent-option.ts'
import type { Verb } from '../verb.ts'

export const suggest: Verb = {
  name: 'suggest',
  description: 'What would mend most failures, ready to paste: a fix for each pattern, the most costly first',
  options: {
    top: { short: 'n', value: 'count', description: 'How many patterns; 10 by default' },
    tool: { value: 'tool', description: 'Only this tool, by Claude’s name or the agent’s own' },
    error: { value: 'text', description: 'Only failures whose error holds this text' },
    since: filterOptions.since,
    agent: agentOption,
    cwd: filterOptions.cwd,
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora suggest',
    'remora suggest --top 3 --agent gemini',
    'remora suggest --tool Bash --error "command not found"',
    'remora suggest --json',
  ],
  async run(input, io) {
    const { chosen } = await import('../desires/choose.ts')
    const { showSuggestions } = await import('../pave/suggest.ts')
    return showSuggestions(chosen(input), io)
  },
}
