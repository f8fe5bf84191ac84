import { realpath } from 'node:fs/promises'
import type { Place } from '../contract/agent.ts'
import { askVersion } from './ask-version.ts'
import { isProgram } from './program.ts'
import { type SearchPlace, listPathCandidates } from './search-path.ts'

/** Versions by executable: a Node does not change while this process runs, and to ask one costs 40 ms. */
const versions = new Map<string, Promise<string | undefined>>()

/**
 * Finds the version of the Node that would run a command which npm has installed. Such a command starts with
 * `#!/usr/bin/env node`, so the first `node` in the agent's PATH decides, not the one that runs this process: both
 * differ wherever a version manager or a service started Remora. Only a `.js` file gets the Node of this process,
 * because `spawnTree` starts it with that one. Undefined where PATH has no Node.
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
  // A shim of a version manager is one file for all versions, and the folder and the environment choose.
  const isNode = /^node(?:\.exe)?$/.test(target!.split(/[/\\]/).at(-1)!)
  if (!isNode) return askVersion(path, env)
  const known = versions.get(target!) ?? askVersion(path, env)
  versions.set(target!, known)
  return known
}
