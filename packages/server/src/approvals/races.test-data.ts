import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openLedger } from '@remora/ledger'
import type { Answer } from '@remora/protocol'

// Another process that answers through the ledger, as `remora answer` does. It reads the id and the digest of each ask.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ledger = await openLedger({ file: process.argv[2]! })
  process.stdout.write('ready\n')
  let rest = ''
  process.stdin.on('data', (chunk) => {
    const lines = `${rest}${String(chunk)}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) void answer(line)
  })
  const answer = async (line: string): Promise<void> => {
    const [id = '', digest = ''] = line.split('\t')
    const given: Answer = {
      ask: id,
      option: 'yes',
      by: 'person',
      device: 'remora answer',
      digest,
    }
    const key = { agent: 'claude', session: 'one' }
    const result = await ledger.asks.answer(key, given).catch((error: unknown) => ({ error }))
    process.stdout.write(`${JSON.stringify({ id, won: 'won' in result && result.won })}\n`)
  }
  await once(process.stdin, 'end')
  await ledger.close()
}
