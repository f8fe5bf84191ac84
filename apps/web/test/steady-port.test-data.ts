import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Below the ephemeral ports, which the system gives away as soon as they are free. */
const lowest = 15_000
const count = 15_000

/** A free port that stays free while a server restarts. @example const port = await steadyPort() */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const wanted = lowest + Math.floor(Math.random() * count)
    const server = createServer().listen(wanted, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }
}
