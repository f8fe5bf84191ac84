import { realpath } from 'node:fs/promises'
import type { Detection, Place, Problem } from '../contract/agent.ts'
import { type SearchPlace, listPathCandidates } from './folders.ts'
import { isProgram } from './paths.ts'
import { askVersion } from './read-version.ts'

/** Cached versions by executable, because running `node --version` takes 40 ms. */
const versions = new Map<string, Promise<string | undefined>>()

/**
 * Finds the version of the Node that would run a command installed by npm. Such a command starts with
 * `#!/usr/bin/env node`, so it runs with the first `node` in the agent's PATH. That may differ from the Node of this
 * process, for example if a version manager or a service started Remora. Only a `.js` file runs with the Node of this
 * process, because `spawnTree` starts it that way. Undefined if PATH has no Node.
 */
export async function findNodeVersion(command: string, place: SearchPlace): Promise<string | undefined> {
  if (/\.[cm]?js$/i.test(command)) return process.versions.node
  for (const path of listPathCandidates('node', place))
    if (await isProgram(path, place.platform)) return readNodeVersion(path, place.env)
  return undefined
}

async function readNodeVersion(path: string, env: Place['env']): Promise<string | undefined> {
  const [target, own] = await Promise.all([path, process.execPath].map((one) => realpath(one)))
  if (target === own) return process.versions.node
  // A version manager's shim is one file for all versions. Folder and environment choose the version, so it is not cached.
  const isNode = /^node(?:\.exe)?$/.test(target!.split(/[/\\]/).at(-1)!)
  if (!isNode) return askVersion(path, env)
  const known = versions.get(target!) ?? askVersion(path, env)
  versions.set(target!, known)
  return known
}

/** The problem of a program that an older Node would run, or none. */
export function createNodeProblem(
  name: string,
  { minimumNode = '', variable }: Pick<Detection, 'minimumNode' | 'variable'>,
  path: string,
  node: string | undefined,
): Problem {
  const needed = minimumNode.split('.')[0]
  const isScript = /\.[cm]?js$/i.test(path)
  const found = node === undefined ? 'PATH has no node' : `${isScript ? 'Remora' : 'PATH'} has ${node}`
  return {
    code: 'node_too_old',
    message: `${name} at ${path} needs Node ${needed} or newer, and ${found}`,
    hint: isScript
      ? `Run Remora with Node ${needed}, or set ${variable} to the command that npm installed, without .js.`
      : `Put Node ${needed} or newer first in PATH.`,
  }
}
