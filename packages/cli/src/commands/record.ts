import type { Verb } from '../verb.ts'
import { ingest } from './ingest.ts'

/** Kept for hooks that were installed under this name. */
export const record: Verb = {
  ...ingest,
  name: 'record',
  description: 'The old name of ingest',
  examples: ['remora ingest --help'],
  async run(input, io) {
    const { ingestPayloads } = await import('../ingest/ingest.ts')
    return ingestPayloads('record', input, io)
  },
}
