import type { Writable } from 'node:stream'
import { RemoraError } from '@remora/protocol'
import { lines } from '@remora/sdk'

/** One message on the wire, and who sent it. */
export interface WireRecord {
  readonly from: 'client' | 'agent'
  readonly message: Record<string, unknown>
}

/**
 * The least that an ACP client can be: it sends, answers what it is asked, and keeps every message as it went.
 * A recorder must not hide what a library would tidy up.
 *
 * @example
 * const client = createAcpClient(child.stdin, child.stdout)
 * await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
 */
export function createAcpClient(input: Writable, output: AsyncIterable<Uint8Array>) {
  const wire: WireRecord[] = []
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let next = 0
  // A closed pipe shows as the end of the output.
  input.on('error', () => {})
  void read()

  async function read(): Promise<void> {
    try {
      for await (const line of lines(output)) if (line.trim() !== '') receive(line)
    } catch {
      // The stream broke, which is an end as well.
    }
    for (const { reject } of waiting.values()) reject(new RemoraError('crashed', 'The ACP agent has ended'))
    waiting.clear()
  }

  function receive(line: string): void {
    const message = parsed(line)
    if (!message) return
    wire.push({ from: 'agent', message })
    const id = message['id']
    if (typeof message['method'] === 'string') {
      if (id !== undefined) send({ jsonrpc: '2.0', id, ...answer(message['method'], message['params']) })
    } else if (typeof id === 'number') {
      const pending = waiting.get(id)
      waiting.delete(id)
      if (message['error']) pending?.reject(new RemoraError('unknown', JSON.stringify(message['error'])))
      else pending?.resolve(message['result'])
    }
  }

  function send(message: Record<string, unknown>): void {
    wire.push({ from: 'client', message })
    input.write(`${JSON.stringify(message)}\n`)
  }

  return {
    wire,
    request(method: string, params: unknown): Promise<unknown> {
      const id = next++
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ jsonrpc: '2.0', id, method, params })
      })
    },
  }
}

interface PermissionOption {
  optionId: string
  kind: string
}

/** Permission is given once; anything else is not on offer. */
function answer(method: string, params: unknown): Record<string, unknown> {
  if (method !== 'session/request_permission') return { error: { code: -32601, message: 'Method not found' } }
  const { options } = params as { options: PermissionOption[] }
  const option = options.find((each) => each.kind === 'allow_once') ?? options[0]
  return { result: { outcome: { outcome: 'selected', optionId: option?.optionId } } }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
