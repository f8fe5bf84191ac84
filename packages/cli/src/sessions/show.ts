import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const show: Verb = {
  name: 'show',
  description: 'Show a session: messages, tool calls and results',
  positionals: [
    {
      name: 'session',
      required: true,
      description: 'Session id or prefix, name, latest, or a transcript file',
    },
  ],
  options: {
    agent: filterOptions.agent,
    thinking: { description: 'Show thinking, if the agent reports it' },
    all: { description: 'Show the context that the CLI added, too' },
    markdown: { description: 'Print a Markdown document' },
    html: { description: 'Print a self-contained HTML page' },
    raw: { description: 'Print the agent’s own records, one per line' },
    json: { description: 'Print the messages as a JSON array' },
  },
  examples: [
    'remora show latest',
    'remora show 3f2a9c1e --thinking',
    'remora show ~/.claude/projects/app/3f2a9c1e.jsonl',
    'remora show latest --agent gemini --markdown > session.md',
    'remora show 3f2a9c1e --html > session.html',
    'remora show latest --json | jq -r \'.[].content[] | select(.type == "text") | .text\'',
  ],
  printsJson: ({ values }) => values['json'] === true || values['raw'] === true,
  async run(input, io) {
    const { showSession } = await import('./show/show-session.ts')
    return showSession(input, io)
  },
}
