import type { Verb } from '../verb.ts'
import { ingest } from './ingest.ts'

/** Kept for hooks that were installed under this name. */
export const record: Verb = {
  ...ingest,
  name: 'record',
  description: 'Same as remora hooks ingest',
  examples: ['remora hooks ingest --help'],
  async run(input, io) {
    const { ingestPayloads } = await import('../ingest/ingest.ts')
    return ingestPayloads('record', input, io)
  },
}
