import { join } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { withLock } from './lock.mjs'
import { cache, root } from './paths.mjs'
import { installNodes } from './nodes.mjs'
import { installPinnedClis } from './pinned-clis.mjs'
import { ensurePrograms } from './programs.mjs'
import { installSqlite } from './sqlite.mjs'
import { together } from './together.mjs'

/** Prepares `npm run test:nodes`: the Node versions. */
export function prepareNodes() {
  return alone(installNodes)
}

/** Prepares every command: the npm packages. */
export function prepareTools() {
  return alone(installPackages)
}

/** Prepares Remora: the npm packages and a build. */
export function prepareProduct() {
  return alone(async () => {
    await installPackages()
    await build()
  })
}

/** Prepares the tests: npm packages, tmux, busybox, Chromium, pinned CLIs and Nodes. The build is one of the checks. */
export function prepareTests() {
  return alone(async () => {
    await ensurePrograms()
    await together([installPackages(), installNodes(), installPinnedClis()])
  })
}

async function installPackages() {
  await install(root, { title: 'installing the npm packages', name: 'packages' })
  await installSqlite()
}

/** Two commands that run at the same time must not install into the same folder. */
function alone(action) {
  return withLock(join(cache, 'prepare.lock'), action, {
    waiting: (pid) => console.log(`  waiting for another preparation (process ${pid}) to end …`),
  })
}
