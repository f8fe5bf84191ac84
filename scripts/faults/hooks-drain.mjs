// What gets killed: drains the spool again and again, from the first byte on standard input on.
// Usage: node hooks-drain.mjs <REMORA_HOME>
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { drainSpool } from '@remora/intake'
import { openLedger } from '@remora/ledger'

const [remoraHome] = process.argv.slice(2)
const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
console.log('ready')
await once(process.stdin, 'data')
for (;;) {
  await drainSpool(dawdling(ledger), { remoraHome })
  await sleep(2)
}

/** Takes its time before and after it stores something, since that is when being killed could do harm. */
function dawdling(real) {
  const append = async (...given) => {
    await sleep(Math.random() * 20)
    const appended = await real.append(...given)
    await sleep(Math.random() * 20)
    return appended
  }
  return new Proxy(real, {
    get(target, name) {
      if (name === 'append') return append
      const value = target[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
