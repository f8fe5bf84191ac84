import type { Verb } from '../verb.ts'

export const logs: Verb = {
  name: 'logs',
  description: 'Show what the server has logged',
  options: {
    follow: { short: 'f', description: 'Go on with what comes, until Ctrl+C' },
    lines: { short: 'n', value: 'count', description: 'How many of the last lines; 100 by default' },
    json: { description: 'Print the lines as they are, one JSON object each' },
  },
  examples: [
    'remora logs',
    'remora logs -f',
    'remora logs --json -n 1000 | jq -r \'select(.level == "error")\'',
  ],
  async run(input, io) {
    const { showLog } = await import('../live/show-log.ts')
    return showLog(input, io)
  },
}
