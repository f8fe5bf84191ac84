// The cost of a server without work: start time, idle CPU and memory, and installed size.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMemory, plainEnv, readProcessorTime } from './live-server.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** From the start of the process until `/health` answers, in milliseconds, in a home that was used before. */
export async function measureStart(system, folder) {
  const server = await system.start(folder)
  await server.stop()
  return server.ms
}

/** The baseline: a Node process that does nothing. */
export function measureNodeStart() {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { env: plainEnv })
  return performance.now() - began
}

/** The CPU (percent of one core) and memory (MB) of an idle server. */
export async function measureIdle(system, folder, { settleMs, watchMs }) {
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

/** Installs our packed packages with npm and returns MB by dependency, the largest first. */
export function measureInstalledSize(folder) {
  const packs = join(folder, 'packs')
  const place = join(folder, 'installed')
  for (const each of [packs, place]) mkdirSync(each, { recursive: true })
  npm(['pack', '--pack-destination', packs, '-w', 'packages/cli', '-w', 'apps/web'], root)
  const files = readdirSync(packs).map((name) => join(packs, name))
  const named = Object.fromEntries(files.map((file) => [getName(file), `file:${file}`]))
  writeFileSync(
    join(place, 'package.json'),
    // Our packages that depend on each other use the same packed files.
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
