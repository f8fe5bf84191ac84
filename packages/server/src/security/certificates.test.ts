import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Certificates, loadCertificates } from './cert-files.ts'
import {
  createAuthorityExtensions,
  createCertificate,
  createKeys,
  encodePermittedName,
  createServerExtensions,
} from './certificate.ts'

const day = 24 * 3_600_000
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-cert-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Connects as a client that trusts only the authority; returns the error code of a rejected handshake. */
async function handshake(
  { cert, key, ca }: Pick<Certificates, 'cert' | 'key' | 'ca'>,
  name: string,
): Promise<string> {
  const server = createServer({ cert, key })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  try {
    return await new Promise<string>((resolve) => {
      const isAddress = /^[\d.:]+$/.test(name)
      const socket = connect(
        {
          port,
          host: '127.0.0.1',
          ca,
          ...(isAddress ? {} : { servername: name }),
          checkServerIdentity: (_, met) => {
            const read = new X509Certificate(met.raw)
            const fits = isAddress ? read.checkIP(name) : read.checkHost(name)
            return fits === undefined ? Object.assign(new Error('name'), { code: 'NAME' }) : undefined
          },
        },
        () => resolve('welcome'),
      )
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.on('secureConnect', () => socket.destroy())
    })
  } finally {
    server.close()
  }
}

describe('certificates', () => {
  it('are valid for the given names and addresses', async () => {
    const made = await loadCertificates({ folder, names: ['192.168.1.20', 'Box.local'] })
    expect(made.renewed).toBe(true)
    for (const name of ['192.168.1.20', 'box.local', 'localhost', '127.0.0.1'])
      expect(await handshake(made, name)).toBe('welcome')
    expect(await handshake(made, '192.168.1.21')).toBe('NAME')
    const other = await loadCertificates({ folder: join(folder, 'other'), names: [] })
    expect(await handshake({ ...made, ca: other.ca }, 'localhost')).not.toBe('welcome')
  })

  it('are valid for ten years (authority) and at most 397 days (server)', async () => {
    const { cert, ca, fingerprint } = await loadCertificates({ folder, names: ['192.168.1.20', 'box.local'] })
    const [server, authority] = [new X509Certificate(cert), new X509Certificate(ca)]
    expect([authority.ca, server.ca]).toEqual([true, false])
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true)
    expect(authority.verify(authority.publicKey)).toBe(true)
    expect(authority.fingerprint256).toBe(fingerprint)
    const days = (each: X509Certificate) => (Date.parse(each.validTo) - Date.parse(each.validFrom)) / day
    expect(days(server)).toBeLessThanOrEqual(397)
    expect(days(authority)).toBeGreaterThan(3649)
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(server.subjectAltName).toContain('IP Address:192.168.1.20')
    expect(BigInt(`0x${server.serialNumber}`)).toBeGreaterThan(0n)
  })

  it('are stored for the user only, and renewed when names change or they expire soon', async () => {
    const names = ['192.168.1.20', 'box.local']
    const first = await loadCertificates({ folder, names })
    expect(first.renewed).toBe(false)
    for (const name of ['ca.key', 'ca.crt', 'server.key', 'server.crt'])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const moved = await loadCertificates({ folder, names: ['192.168.7.7'] })
    expect([moved.renewed, moved.ca]).toEqual([true, first.ca])
    expect((await loadCertificates({ folder, names: ['192.168.7.7'] })).renewed).toBe(false)
    const later = await loadCertificates({
      folder,
      names: ['192.168.7.7'],
      now: () => Date.now() + 370 * day,
    })
    expect([later.renewed, later.ca]).toEqual([true, first.ca])
    await writeFile(join(folder, 'server.key'), 'broken')
    const repaired = await loadCertificates({ folder, names: ['192.168.7.7'] })
    expect(repaired.renewed).toBe(true)
    expect(await handshake(repaired, '192.168.7.7')).toBe('welcome')
  })

  it('are limited to private networks, which clients enforce', async () => {
    await expect(loadCertificates({ folder, names: ['bank.example.com'] })).rejects.toMatchObject({
      code: 'config',
    })
    await expect(loadCertificates({ folder, names: ['8.8.8.8'] })).rejects.toMatchObject({ code: 'config' })
    // A stolen authority key signs a name that is not permitted.
    const [authority, thief] = [createKeys(), createKeys()]
    const common = {
      issuer: 'Ours',
      issuerKey: authority.publicKey,
      signingKey: authority.privateKey,
      from: Date.now() - day,
      until: Date.now() + day,
    }
    const extensions = createAuthorityExtensions([encodePermittedName('local')])
    const ca = createCertificate({ ...common, subject: 'Ours', publicKey: authority.publicKey, extensions })
    const sign = (name: string) =>
      createCertificate({
        ...common,
        subject: 'A server',
        publicKey: thief.publicKey,
        extensions: createServerExtensions([name]),
      })
    const key = thief.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    expect(await handshake({ cert: sign('box.local'), key, ca }, 'box.local')).toBe('welcome')
    expect(await handshake({ cert: sign('bank.com'), key, ca }, 'bank.com')).not.toBe('welcome')
  })

  it('are readable by OpenSSL', async () => {
    try {
      execFileSync('openssl', ['version'])
    } catch {
      return
    }
    const made = await loadCertificates({ folder, names: ['192.168.7.7', 'fd00::1'] })
    const [caFile, certFile] = [join(folder, 'ca.crt'), join(folder, 'server.crt')]
    const verified = execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', caFile, certFile], {
      encoding: 'utf8',
    })
    expect(verified).toContain('OK')
    const text = execFileSync('openssl', ['x509', '-in', caFile, '-noout', '-text'], { encoding: 'utf8' })
    expect(text).toMatch(/Name Constraints: critical/)
    expect(text).toContain('IP:192.168.0.0/255.255.0.0')
    expect(await readFile(certFile, 'utf8')).toBe(made.cert)
  })
})
