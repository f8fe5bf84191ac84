import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { run } from './children.mjs'

/** Runs npm quietly with the current Node, so that two Nodes on one machine are never mixed. */
export function npm(args, { env, ...options }) {
  const script = process.env.npm_execpath
  const isNpm = script !== undefined && basename(script) === 'npm-cli.js'
  const command = isNpm ? process.execPath : process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress']
  return run(command, [...(isNpm ? [script] : []), ...args, ...quiet], {
    ...options,
    env: { ...npmEnvironment(), ...env },
  })
}

/** The environment for an npm below `npm start`, without the outer npm's variables about its own run. */
export function npmEnvironment(env = process.env, prefix = nodePrefix()) {
  const outer = /^npm_(lifecycle_|package_|command$|node_execpath$|config_(local_prefix|prefix|noproxy)$)/
  const inner = Object.fromEntries(Object.entries(env).filter(([name]) => !outer.test(name)))
  // Otherwise node-gyp downloads the headers of Node, which fails where only a package registry is reachable.
  if (hasHeaders(prefix) && !inner.npm_config_nodedir) inner.npm_config_nodedir = prefix
  return inner
}

function nodePrefix() {
  return dirname(dirname(process.execPath))
}

function hasHeaders(prefix) {
  return existsSync(join(prefix, 'include', 'node', 'node.h'))
}
