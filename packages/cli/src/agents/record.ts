import type { Verb } from '../command/verb.ts'
import { ingest } from './ingest.ts'

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
