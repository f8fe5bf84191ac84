import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loopbackOnly } from './isolation.ts'

const outside = createServer((socket) => socket.end())
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  port = (outside.address() as AddressInfo).port
})
afterAll(() => void outside.close())

const namespaces = ['--net', '--user --map-root-user --net'].some(
  (flags) => spawnSync('unshare', [...flags.split(' '), 'true']).status === 0,
)

describe('loopbackOnly', () => {
  it('keeps the network away, or says that it cannot', async () => {
    const reach = (host: string) => `require('node:net').connect(${port}, '${host}')
      .on('connect', () => { console.log('connected'); process.exit() })
      .on('error', (error) => console.log(error.code))`
    // The server of this process is reachable from anywhere but another network.
    expect((await run([process.execPath, '-e', reach('127.0.0.1')])).stdout).toBe('connected\n')
    const guarded = await run(loopbackOnly([process.execPath, '-e', reach('127.0.0.1')]))
    if (namespaces) {
      expect(guarded).toMatchObject({ stdout: 'ECONNREFUSED\n', stderr: '', code: 0 })
      const far = await run(loopbackOnly([process.execPath, '-e', reach('192.0.2.1')]))
      expect(far.stdout).toBe('ENETUNREACH\n')
    } else {
      expect(guarded.stdout).toBe('connected\n')
      expect(guarded.stderr).toMatch(/no network namespace/)
    }
  })

  it('lets the command talk to itself on loopback', async () => {
    const echo = `const server = require('node:net').createServer((socket) => socket.end('hello'))
    server.listen(0, '127.0.0.1', () => require('node:net').connect(server.address().port, '127.0.0.1')
      .on('data', (data) => { console.log(String(data)); process.exit() }))`
    expect((await run(loopbackOnly([process.execPath, '-e', echo]))).stdout).toBe('hello\n')
  })

  it('fails when the home was written to', async () => {
    const { code, stderr } = await run(loopbackOnly(['sh', '-c', 'echo x > "$HOME/.trace"']))
    expect(stderr).toMatch(/written to: \.trace/)
    expect(code).toBe(1)
  })

  it('passes the exit code on', async () => {
    expect((await run(loopbackOnly(['sh', '-c', 'exit 7']))).code).toBe(7)
  })
})

function run([file = '', ...args]: string[]): Promise<{
  stdout: string
  stderr: string
  code: number | null
}> {
  const child = spawn(file, args)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => (output.stdout += String(data)))
  child.stderr.on('data', (data) => (output.stderr += String(data)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...output, code })))
}
