import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

// Written out, because help must not wait for the protocol; a test holds it against that.
const channels = ['transcripts', 'acp', 'headless', 'hooks', 'terminal'] as const

export const trace: Verb = {
  name: 'trace',
  description: 'Print what went over the wire between a client and an agent, in order',
  positionals: [
    { name: 'session', required: true, description: 'An id or its beginning, a name, or latest' },
  ],
  options: {
    agent: { short: 'a', value: 'agent', choices: agentNames, description: 'Only sessions of this agent' },
    method: {
      value: 'glob',
      description: 'Only these methods with their replies, or kinds of updates: session/*, tool_call*',
    },
    full: { description: 'Print every message in full and as it was; keys are masked otherwise' },
    follow: { short: 'f', description: 'Go on with what comes, until Ctrl+C' },
    channel: {
      value: 'channel',
      choices: channels,
      description: `Records of another channel than acp: ${channels.filter((name) => name !== 'acp').join(', ')}`,
    },
    json: { description: 'Print one message a line, exactly as it went: {at, from, message}' },
  },
  examples: [
    'remora trace latest',
    'remora trace 3f2a9c1e --method session/request_permission --full',
    'remora trace latest --follow',
    'remora trace latest --json | jq -c \'select(.from == "agent").message.method\'',
    'remora trace 3f2a9c1e --channel transcripts',
  ],
  async run(input, io) {
    const { traceSession } = await import('../trace/trace-session.ts')
    return traceSession(input, io)
  },
}
