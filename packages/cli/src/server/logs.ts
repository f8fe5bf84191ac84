import type { Verb } from '../command/verb.ts'

export const logs: Verb = {
  name: 'logs',
  description: 'Show the server log',
  options: {
    follow: { short: 'f', description: 'Keep printing new entries until Ctrl+C' },
    lines: { short: 'n', value: 'count', description: 'Number of lines (default: 100)' },
    json: { description: 'Print the raw lines, one JSON object each' },
  },
  examples: [
    'remora logs',
    'remora logs -f',
    'remora logs --json -n 1000 | jq -r \'select(.level == "error")\'',
  ],
  async run(input, io) {
    const { showLog } = await import('./show-log.ts')
    return showLog(input, io)
  },
}
