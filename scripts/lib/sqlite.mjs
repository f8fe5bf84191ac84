import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { install } from './install.mjs'
import { readJson, root } from './paths.mjs'

const folder = join(root, 'scripts', 'better-sqlite3')

/** The better-sqlite3 version that setup and the tests install. */
export const betterSqlite = `better-sqlite3@${readJson(join(folder, 'package.json')).dependencies['better-sqlite3']}`

/** Whether Node has an SQLite with full text search: since 22.16 and 24.0, as in packages/sqlite/src/node-driver.ts. */
export function hasNodeSqlite(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major >= 24 || (major === 22 && minor >= 16)
}

/**
 * Installs better-sqlite3 for the current Node if that has no SQLite or `REMORA_SQLITE` requests it. It is not a dependency,
 * because npm compiles it where no prebuilt one is available.
 */
export async function installSqlite({ wanted = process.env.REMORA_SQLITE } = {}) {
  if (wanted !== 'better' && hasNodeSqlite()) return
  await install(folder, {
    title: 'installing better-sqlite3 for this Node (a minute if it must be compiled)',
    name: 'better-sqlite3',
    scripts: true,
  })
  linkPackage()
}

/** npm removes the link whenever it changes packages, so it is checked each time. */
function linkPackage() {
  const modules = join(root, 'node_modules')
  const link = join(modules, 'better-sqlite3')
  if (existsSync(link)) return
  rmSync(link, { force: true })
  symlinkSync(relative(modules, join(folder, 'node_modules', 'better-sqlite3')), link, 'junction')
}
