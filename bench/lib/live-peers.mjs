// HAPI's hub, installed on demand and run as a program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const versions = { '@twsxtd/hapi': '0.30.7', 'socket.io-client': '4.8.4' }
export const peers = fileURLToPath(new URL('../../.cache/peers/hapi', import.meta.url))
export const hapi = join(peers, `node_modules/@twsxtd/hapi-${process.platform}-${process.arch}/bin/hapi`)

/** Installs the hub if necessary. Returns the reason if that fails. */
export function installPeer() {
  if (existsSync(hapi)) return undefined
  mkdirSync(peers, { recursive: true })
  writeFileSync(join(peers, 'package.json'), JSON.stringify({ private: true, dependencies: versions }))
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status, stderr } = spawnSync('npm', args, { cwd: peers, encoding: 'utf8', timeout: 300_000 })
  if (status === 0 && existsSync(hapi)) return undefined
  return `npm could not install @twsxtd/hapi ${versions['@twsxtd/hapi']}: ${stderr?.trim().split('\n')[0]}`
}
