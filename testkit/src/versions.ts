import { atLeast } from '@remora/sdk'
import { pinnedVersions } from './clis.ts'

/**
 * The pinned versions that this run tests: the newest, or the one that `npm run matrix` selects with `REMORA_MATRIX`, such
 * as `gemini@0.34.0`. In such a run no version of another agent is tested.
 *
 * @example describe.each(listTestVersions('gemini', { since: '0.34.0' }))('gemini %s', (version) => …)
 */
export function listTestVersions(agent: string, { since }: { since?: string } = {}): string[] {
  const selected = process.env['REMORA_MATRIX']
  const versions =
    selected === undefined
      ? pinnedVersions(agent).slice(0, 1)
      : pinnedVersions(agent).filter((version) => selected === `${agent}@${version}`)
  return versions.filter((version) => since === undefined || atLeast(version, since))
}
