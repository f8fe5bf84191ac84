import { connect } from 'node:net'

/** Sends raw bytes and returns everything received until the server closes the connection. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  options: { readonly more?: () => Buffer | string | undefined; readonly everyMs?: number } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    let timer: NodeJS.Timeout | undefined
    socket.on('connect', () => {
      socket.write(bytes)
      const { more, everyMs = 20 } = options
      if (more)
        timer = setInterval(() => {
          const next = more()
          if (next !== undefined && socket.writable) socket.write(next)
        }, everyMs)
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
  })
}

/** Writes a raw request that closes the connection afterwards. */
export function formatRequestText(lines: readonly string[], body = ''): string {
  return `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`
}
