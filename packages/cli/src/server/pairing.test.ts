import { createColors } from 'picocolors'
import { expect, it } from 'vitest'
import type { Reach } from '../client/server-note.ts'
import { LiveHome } from '../live/live-home.test-data.ts'
import { printLink } from './pairing.ts'

const code = 'K7QM-2XHD-PB9R'

function printPairing(reach: Reach): string {
  let out = ''
  const link = `https://192.168.1.20:4750/#pair=${code}`
  const io = { out: (text: string) => void (out += text) }
  printLink({ code, link, reach, expiresAt: Date.now() + 120_000 }, createColors(false), {
    env: {},
    cwd: '/',
    home: '/',
    platform: 'linux',
    terminal: true,
    err: () => {},
    ...io,
  })
  return out
}

it('prints a QR code for an address that a phone can reach, else a hint', () => {
  for (const reach of ['lan', 'tailscale'] as const) {
    expect(printPairing(reach)).toMatch(/^Pair your phone\. Valid once, for 2 min/)
    expect(printPairing(reach)).toContain(`Code: ${code}\n`)
    expect(
      printPairing(reach)
        .split('\n')
        .filter((line) => line.includes('█')).length,
    ).toBeGreaterThan(10)
  }
  expect(printPairing('loopback')).not.toContain('█')
  expect(printPairing('loopback')).toContain('remora serve --lan or --tailscale')
})

it('fails if the server cannot start', async () => {
  using home = new LiveHome()
  const self = [
    process.execPath,
    '-e',
    'console.error("remora: Disk full\\n  Free some space"); process.exit(1)',
  ]
  expect(await home.remora(['pair'], { self })).toMatchObject({
    code: 1,
    out: '',
    err: 'remora: Cannot start the server: Disk full\n  Free some space\n',
  })
  expect(await home.remora(['pair'], { self: ['/nowhere/remora'] })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Cannot start the server: .*ENOENT\n {2}Check its log: /),
  })
})
