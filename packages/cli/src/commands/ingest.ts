import type { Verb } from '../verb.ts'

export const ingest: Verb = {
  name: 'ingest',
  description:
    'Take what a hook is told from standard input, or everything that hooks have left in the spool',
  options: {
    source: {
      value: 'agent',
      description:
        'Whose payload it is: gemini (or gemini-cli), claude (or claude-code), codex, opencode, kiro',
    },
    spool: {
      description: 'Bring what hooks have left in the spool into the ledger, and say how much it was',
    },
    json: { description: 'Print what was read as a JSON object' },
  },
  examples: [
    `echo '{"tool_name":"write_file","session_id":"abc","tool_response":{}}' | remora ingest --source gemini`,
    'remora ingest --source claude-code --json < payload.json',
    'remora ingest --spool',
  ],
  async run(input, io) {
    const { ingestPayloads } = await import('../ingest/ingest.ts')
    return ingestPayloads('ingest', input, io)
  },
}
