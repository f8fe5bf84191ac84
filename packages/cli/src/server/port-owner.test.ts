import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { portOwner, formatOwner } from './port-owner.ts'

it('finds the process that listens on a port, if any', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const owner = await portOwner(port, process.platform)
  server.close()
  await once(server, 'close')
  expect(owner?.pid).toBe(process.pid)
  expect(owner?.command).toContain('node')
  expect(formatOwner(owner)).toContain(`process ${process.pid} (`)
  expect(await portOwner(port, process.platform)).toBeUndefined()
  expect(formatOwner(undefined)).toBe('another program')
})
