import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

// Listed here, because help must not load the protocol. A test compares both.
const channels = ['transcripts', 'acp', 'headless', 'hooks', 'terminal'] as const

export const trace: Verb = {
  name: 'trace',
  description: 'Print the protocol messages between client and agent',
  positionals: [sessionArgument],
  options: {
    agent: filterOptions.agent,
    method: {
      value: 'glob',
      description: 'Only these methods and replies, or update kinds: session/*, tool_call*',
    },
    full: { description: 'Print messages in full, with secrets unmasked' },
    follow: { short: 'f', description: 'Keep printing new entries until Ctrl+C' },
    channel: {
      value: 'channel',
      choices: channels,
      description: `Print another channel instead of acp: ${channels.filter((name) => name !== 'acp').join(', ')}`,
    },
    json: { description: 'Print raw messages, one per line: {at, from, message}' },
  },
  examples: [
    'remora sessions trace latest',
    'remora sessions trace 3f2a9c1e --method session/request_permission --full',
    'remora sessions trace latest --follow',
    'remora sessions trace latest --json | jq -c \'select(.from == "agent").message.method\'',
    'remora sessions trace 3f2a9c1e --channel transcripts',
  ],
  async run(input, io) {
    const { traceSession } = await import('./trace/trace-session.ts')
    return traceSession(input, io)
  },
}
