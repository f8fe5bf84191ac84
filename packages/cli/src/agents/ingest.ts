import type { Verb } from '../command/verb.ts'

export const ingest: Verb = {
  name: 'ingest',
  description: 'Read a hook payload from standard input, or import the hook spool',
  options: {
    source: {
      value: 'agent',
      description: 'Agent that sent it: gemini (gemini-cli), claude (claude-code), codex, opencode, kiro',
    },
    spool: {
      description: 'Import the hook spool and print how many entries it had',
    },
    json: { description: 'Print the result as a JSON object' },
  },
  examples: [
    `echo '{"tool_name":"write_file","session_id":"abc","tool_response":{}}' | remora hooks ingest --source gemini`,
    'remora hooks ingest --source claude-code --json < payload.json',
    'remora hooks ingest --spool',
  ],
  async run(input, io) {
    const { ingestPayloads } = await import('./ingest-payloads.ts')
    return ingestPayloads('ingest', input, io)
  },
}

/** Kept for hooks that were installed under this name. */
export const record: Verb = {
  ...ingest,
  name: 'record',
  description: 'Same as remora hooks ingest',
  examples: ['remora hooks ingest --help'],
  async run(input, io) {
    const { ingestPayloads } = await import('./ingest-payloads.ts')
    return ingestPayloads('record', input, io)
  },
}
