import { execFile } from 'node:child_process'
import { isIP } from 'node:net'
import type { Reach } from '../client/server-note.ts'

/** The tailnet name of this computer, if Tailscale reports it. */
export function tailscaleName(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('tailscale', ['status', '--json', '--peers=false'], { timeout: 3000, env }, (error, stdout) =>
      resolve(error ? undefined : nameIn(stdout)),
    )
  })
}

function nameIn(text: string): string | undefined {
  try {
    const { Self } = JSON.parse(text) as { Self?: { DNSName?: string } }
    return Self?.DNSName?.replace(/\.$/, '') || undefined
  } catch {
    return undefined
  }
}

/**
 * The network that can reach an address. A QR code is shown only if a phone can.
 *
 * @example await getReach('127.0.0.1') // 'loopback'
 */
export async function getReach(host: string): Promise<Reach> {
  const { isLoopback, isReachable } = await import('@remora/server')
  if (isLoopback(host)) return 'loopback'
  if (host.startsWith('100.') || /\.ts\.net$/i.test(host)) return 'tailscale'
  return isReachable(host) || isIP(host) === 0 ? 'lan' : 'other'
}
