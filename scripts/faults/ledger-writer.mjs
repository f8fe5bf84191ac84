// What gets killed: imports once, or follows until the end. Usage: node ledger-writer.mjs import|follow <home> <ledger>
import { importTranscripts, follow } from '@remora/intake'
import { openLedger } from '@remora/ledger'

const [way, home, file] = process.argv.slice(2)
const ledger = await openLedger({ file })
const place = { home, env: {} }
if (way === 'import') {
  await importTranscripts(ledger, place)
  await ledger.indexText()
} else {
  const stop = new AbortController()
  process.on('SIGTERM', () => stop.abort())
  // The lease of the one that was killed runs out by itself.
  for (;;) {
    try {
      await follow(ledger, { ...place, signal: stop.signal, onReady: () => console.log('ready') })
      break
    } catch (error) {
      if (error.code !== 'conflict') throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
await ledger.close()
