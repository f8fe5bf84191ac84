import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './children.mjs'
import { cache, readJson, root } from './paths.mjs'

/**
 * The environment for an npm that reuses the SQLite addon built by this checkout for the same version and Node, because
 * compiling it a second time costs more than a minute. Other versions are downloaded or compiled as usual.
 */
export async function withBuiltAddons(folder) {
  const addon = join(root, 'node_modules', 'better-sqlite3')
  const built = join('build', 'Release', 'better_sqlite3.node')
  if (!existsSync(join(addon, built))) return {}
  mkdirSync(folder, { recursive: true })
  const tarball = join(folder, prebuiltName(readJson(join(addon, 'package.json')).version))
  const log = join(cache, 'logs', 'built-addons.log')
  const code = await run('tar', ['-czf', tarball, built], { cwd: addon, log }).catch(() => 1)
  return code === 0 ? { npm_config_better_sqlite3_local_prebuilds: folder } : {}
}

/** The file name that the addon's install script expects. */
function prebuiltName(version, { platform, arch, versions } = process) {
  const musl = platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime ? 'musl' : ''
  return `better-sqlite3-v${version}-node-v${versions.modules}-${platform}${musl}-${arch}.tar.gz`
}
