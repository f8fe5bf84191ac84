// The process that the hooks run kills: drains the spool repeatedly after the first byte on standard input.
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
  await drainSpool(delayAppends(ledger), { remoraHome })
  await sleep(2)
}

/** Waits before and after each append, when a kill could lose or duplicate events. */
function delayAppends(real) {
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
