import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findAgent } from '@remora/sdk'

/** The newest version of an agent on the npm registry; undefined if it does not answer. @example await findNewest('codex') */
export async function findNewest(agent: string, signal?: AbortSignal): Promise<string | undefined> {
  const name = findAgent(agent)?.detection.package
  if (name === undefined) return undefined
  const args = ['view', name, 'version', '--fetch-retries=1', '--loglevel=error']
  const asked = promisify(execFile)('npm', args, { timeout: 60_000, ...(signal ? { signal } : {}) })
  const version = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  signal?.throwIfAborted()
  return /^\d+\.\d+\.\d+/.test(version) ? version : undefined
}
