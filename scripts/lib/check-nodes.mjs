import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './children.mjs'
import { listInstallScripts } from './install-scripts.mjs'
import { listNodes, npmCli } from './nodes.mjs'
import { npm, npmEnvironment } from './npm.mjs'
import { bin, cache } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { hasNodeSqlite } from './sqlite.mjs'
import { shareLedger } from './share-ledger.mjs'
import { withTemporaryFolder } from './temporary.mjs'

/** Tests that depend on the SQLite driver. */
const contract = [
  'packages/sqlite',
  'packages/ledger/src/sqlite',
  'packages/sdk/src/channels/transcripts/database.test.ts',
]

/**
 * On every pinned Node with SQLite: the packed command installs without a script and opens a ledger, the ledger contract
 * passes, and a process with better-sqlite3 writes to the same ledger at the same time. All other tests cover the Node in
 * use.
 */
export function checkNodes() {
  return withTemporaryFolder(async (folder) => {
    const nodes = listNodes()
    if (nodes.length === 0) return console.log(`  No pinned Node for ${process.platform} ${process.arch}.`)
    const modern = nodes.filter(({ version }) => hasNodeSqlite(version))
    const better = await findBetterNode(nodes)
    const tarballs = await packCommand(join(folder, 'packs'))
    // One Node at a time, because the contract keeps two cores busy.
    for (const { version, path } of modern) {
      await tryInstall(join(folder, version), { version, path }, tarballs)
      await checkContract(version, path)
      const writers = [
        { name: better.version, node: better.path, driver: 'better' },
        { name: version, node: path, driver: 'node' },
      ]
      const file = join(folder, version, 'shared', 'ledger.db')
      await shareLedger(file, writers, (name) => toLog(`shared-${version}-${name}`))
    }
  })
}

/** A Node with better-sqlite3: the one in use, or the oldest pinned one after installing it. */
async function findBetterNode(nodes) {
  if (!hasNodeSqlite()) return { version: process.versions.node, path: process.execPath }
  const [oldest] = nodes
  const log = toLog('node-better-sqlite3')
  const module = new URL('sqlite.mjs', import.meta.url).href
  const code = await run(
    oldest.path,
    ['--input-type=module', '-e', `await (await import('${module}')).installSqlite()`],
    { env: { ...process.env, npm_execpath: npmCli }, log },
  )
  if (code !== 0)
    throw new SetupError(`Installing better-sqlite3 for Node ${oldest.version} failed.`, { log })
  return oldest
}

async function packCommand(folder) {
  mkdirSync(folder)
  const log = toLog('pack-command')
  const code = await npm(['pack', '--pack-destination', folder, '-w', '@remora/cli', '-w', '@remora/web'], {
    log,
  })
  if (code !== 0) throw new SetupError('npm pack failed.', { log })
  return readdirSync(folder).map((name) => join(folder, name))
}

async function tryInstall(folder, { version, path }, tarballs) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const log = toLog(`install-node-${version}`)
  const logs = join(folder, 'npm-logs')
  const args = ['install', '--prefer-offline', '--ignore-scripts=false', '--no-audit', `--logs-dir=${logs}`]
  // Scripts find Node on PATH.
  const env = { ...npmEnvironment(), PATH: `${dirname(path)}:${process.env.PATH}` }
  const code = await run(path, [npmCli, ...args, ...tarballs], { cwd: folder, env, log })
  if (code !== 0) throw new SetupError(`Installing the packed command on Node ${version} failed.`, { log })
  const scripts = listInstallScripts(logs)
  if (scripts.length > 0)
    throw new SetupError(`Install scripts ran on Node ${version}: ${scripts.join(', ')}.`, { log })

  const remora = join(folder, 'node_modules', '.bin', 'remora')
  const sessionsLog = toLog(`sessions-node-${version}`)
  const found = await run(path, [remora, 'sessions', '--json'], {
    cwd: folder,
    env: { PATH: join(folder, 'nothing'), HOME: home, REMORA_HOME: join(home, '.remora') },
    log: sessionsLog,
  })
  if (found !== 0 || readFileSync(sessionsLog, 'utf8').includes('ExperimentalWarning'))
    throw new SetupError(`remora sessions fails or warns on Node ${version}.`, { log: sessionsLog })
}

async function checkContract(version, path) {
  const log = toLog(`contract-node-${version}`)
  const code = await run(path, [bin('vitest'), 'run', '--project', 'unit', ...contract], { log })
  if (code !== 0) throw new SetupError(`The ledger contract fails on Node ${version}.`, { log })
}

function toLog(name) {
  return join(cache, 'logs', `${name}.log`)
}
