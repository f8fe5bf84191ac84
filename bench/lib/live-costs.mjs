// What a server costs before it does anything: until it answers, while it is idle, and on disk.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMemory, plainEnv, readProcessorTime } from './live-server.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** From the start of the process until `/health` answers, in milliseconds, in a home that was used before. */
export async function timeOfStart(system, folder) {
  const server = await system.start(folder)
  await server.stop()
  return server.ms
}

/** The same for a Node that does nothing. */
export function timeOfNode() {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { env: plainEnv })
  return performance.now() - began
}

/** What an idle server takes: a share of one processor in percent, and memory in MB. */
export async function idleCosts(system, folder, { settleMs, watchMs }) {
  const server = await system.start(folder)
  try {
    await sleep(settleMs)
    const before = readProcessorTime(server.pid)
    await sleep(watchMs)
    const used = readProcessorTime(server.pid) - before
    return { percent: (used / watchMs) * 100, memory: readMemory(server.pid).now }
  } finally {
    await server.stop()
  }
}

/** Installs what npm would, from packed packages, and returns MB by dependency, the heaviest first. */
export function installedSize(folder) {
  const packs = join(folder, 'packs')
  const place = join(folder, 'installed')
  for (const each of [packs, place]) mkdirSync(each, { recursive: true })
  npm(['pack', '--pack-destination', packs, '-w', 'packages/cli', '-w', 'apps/web'], root)
  const files = readdirSync(packs).map((name) => join(packs, name))
  const named = Object.fromEntries(files.map((file) => [getName(file), `file:${file}`]))
  writeFileSync(
    join(place, 'package.json'),
    // Packages of ours that need each other take each other from the same files.
    JSON.stringify({ private: true, dependencies: named, overrides: named }),
  )
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--omit=dev', '--ignore-scripts']
  npm(['install', ...options], place)
  const modules = join(place, 'node_modules')
  const sizes = topFolders(modules).map((name) => ({ name, size: getSize(join(modules, name)) }))
  rmSync(packs, { recursive: true, force: true })
  return sizes.toSorted((a, b) => b.size - a.size)
}

export function getSize(path) {
  const info = statSync(path, { throwIfNoEntry: false })
  if (!info) return 0
  const own = (info.blocks * 512) / 1e6
  return info.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + getSize(join(path, name)), own)
    : own
}

function getName(file) {
  return `@remora/${/remora-([a-z]+)-/.exec(basename(file))[1]}`
}

function topFolders(modules) {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name],
  )
}

function npm(args, cwd) {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', timeout: 300_000 })
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr.trim().split('\n').slice(-3).join(' ')}`)
}
