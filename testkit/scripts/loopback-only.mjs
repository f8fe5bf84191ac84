#!/usr/bin/env node
// node testkit/scripts/loopback-only.mjs -- <command…>
// Runs a command where it can reach loopback alone and finds an empty home, which must be empty afterwards as well.
// Its temporary files go away with it, however it ends.
// Where the machine allows no network namespace, the home is still guarded and one line says so.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

const command = process.argv.slice(process.argv.indexOf('--') + 1)
if (!process.argv.includes('--') || command.length === 0) {
  console.error('Usage: node testkit/scripts/loopback-only.mjs -- <command…>')
  process.exit(2)
}

const namespace = networkNamespace()
if (!namespace) console.error('loopback-only: no network namespace here, so the network is not guarded')

const folder = mkdtempSync(join(tmpdir(), 'remora-guard-'))
const [home, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
mkdirSync(home)
mkdirSync(temporary)
const [file, ...args] = [...(namespace ?? []), ...command]
const child = spawn(file, args, {
  stdio: 'inherit',
  env: { ...process.env, HOME: home, TMPDIR: temporary, REMORA_LOOPBACK_ONLY: namespace ? '1' : '0' },
})
// Ctrl+C reaches the child by itself; this process stays to look at the home and to pass on what it was sent.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('error', (error) => finish(`loopback-only: ${error.message}`, 127))
child.on('exit', (code, signal) => {
  const touched = readdirSync(home, { recursive: true })
  const status = code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)
  if (touched.length === 0) finish('', status)
  else
    finish(
      `loopback-only: the home of the caller was written to: ${touched.slice(0, 10).join(', ')}`,
      status || 1,
    )
})

function finish(message, status) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  if (message) console.error(message)
  process.exit(status)
}

/** The words before the command that put it into a namespace with nothing but `lo`, or nothing. */
function networkNamespace() {
  // A new namespace has its loopback down. Perl is on every Debian; 0x8914 sets flags, 0x41 is up and running.
  const up = [
    'ip link set lo up',
    'ifconfig lo up',
    `perl -MSocket -e 'socket(S,AF_INET,SOCK_DGRAM,0); $r=pack("a16sx22","lo",0x41); ioctl(S,0x8914,$r) or exit 1'`,
  ].join(' 2>/dev/null || ')
  const script = `{ PATH="$PATH:/usr/sbin:/sbin"; ${up} 2>/dev/null; } || exit 1; exec "$@"`
  const ways = [['--net'], ['--user', '--map-root-user', '--net']]
  return ways
    .map((way) => ['unshare', ...way, 'sh', '-c', script, 'sh'])
    .find(([file, ...args]) => spawnSync(file, [...args, 'true']).status === 0)
}
