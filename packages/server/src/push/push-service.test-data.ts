import { createECDH, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Notice } from '@remora/protocol/api'

/** A push service on loopback with one browser, which decrypts its notices. */
export interface PushService extends AsyncDisposable {
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  readonly received: { notice: Notice; headers: IncomingHttpHeaders }[]
  /** The status codes of the next responses; 201 afterwards. */
  readonly answers: number[]
  requests: number
}

export async function startPushService(): Promise<PushService> {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const received: PushService['received'] = []
  const answers: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      service.requests++
      const status = answers.shift() ?? 201
      if (status === 201) {
        const notice = JSON.parse(decrypt(Buffer.concat(chunks))) as Notice
        received.push({ notice, headers: request.headers })
      }
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Decrypts one record by RFC 8291. */
  const decrypt = (body: Buffer): string => {
    const salt = body.subarray(0, 16)
    const length = body[20]!
    const sender = body.subarray(21, 21 + length)
    const text = body.subarray(21 + length)
    const shared = browser.computeSecret(sender)
    const extract = (salt: Buffer, key: Buffer) => createHmac('sha256', salt).update(key).digest()
    const expand = (key: Buffer, info: Buffer, size: number) =>
      createHmac('sha256', key)
        .update(info)
        .update(Buffer.from([1]))
        .digest()
        .subarray(0, size)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
    const secret = extract(salt, expand(extract(auth, shared), info, 32))
    const key = expand(secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = expand(secret, Buffer.from('Content-Encoding: nonce\0'), 12)
    const cipher = createDecipheriv('aes-128-gcm', key, nonce)
    cipher.setAuthTag(text.subarray(-16))
    const plain = Buffer.concat([cipher.update(text.subarray(0, -16)), cipher.final()])
    return plain.subarray(0, plain.lastIndexOf(2)).toString()
  }

  const service: PushService = {
    subscription: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/push/${randomBytes(4).toString('hex')}`,
      keys: { p256dh: browser.getPublicKey().toString('base64url'), auth: auth.toString('base64url') },
    },
    received,
    answers,
    requests: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}
