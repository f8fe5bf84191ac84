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

/** What `npm run test:nodes` needs: the versions of Node. */
export function prepareNodes() {
  return alone(installNodes)
}

/** What every command needs: the npm packages. */
export function prepareTools() {
  return alone(installPackages)
}

/** What Remora needs to run: the npm packages and a build. */
export function prepareProduct() {
  return alone(async () => {
    await installPackages()
    await build()
  })
}

/** What the tests need: the npm packages, tmux, busybox and Chromium, the pinned CLIs and versions of Node. The build is one of the checks. */
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

/** Two commands started at once must not install into the same folder. */
function alone(action) {
  return withLock(join(cache, 'prepare.lock'), action, {
    waiting: (pid) => console.log(`  waiting for another preparation (process ${pid}) to end …`),
  })
}
