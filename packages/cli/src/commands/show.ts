import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const show: Verb = {
  name: 'show',
  description: 'Show a session: what was said, which tools ran, and what came of them',
  positionals: [
    {
      name: 'session',
      required: true,
      description: 'An id or its beginning, a name, latest, or the transcript file of any agent',
    },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    thinking: { description: 'Show what the agent thought, where it is known' },
    all: { description: 'Show what the CLI told the model by itself, too' },
    markdown: { description: 'Print a Markdown document' },
    html: { description: 'Print one HTML page that needs nothing else' },
    raw: { description: 'Print the agent’s own records, one a line' },
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
    const { showSession } = await import('../show/show-session.ts')
    return showSession(input, io)
  },
}
