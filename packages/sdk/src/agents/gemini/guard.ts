import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Guard, Place, Problem } from '../../contract/agent.ts'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { editSettings } from '../../files/settings-file.ts'
import { atLeast } from '../../versions/version.ts'
import { exists } from '../../files/paths.ts'
import { type Settings, readJsonSettings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'
import { since } from './versions.ts'

/** The user's setting that decides whether the CLI deletes sessions. */
export const retention = ['general', 'sessionRetention', 'enabled'] as const

/**
 * Returns the change that turns off session retention, or undefined if nothing is to change. Retention deletes old sessions
 * and, from 0.39 on, every resumed session.
 */
export async function guard(place: Place): Promise<Guard | undefined> {
  const folder = geminiFolder(place)
  // The CLI was never used here.
  if (!(await exists(folder))) return undefined
  const settings = await readJsonSettings(join(folder, 'settings.json'))
  const [broken] = settings.problems
  if (broken) throw new RemoraError('config', broken.message, { hint: broken.hint })
  if (!deletesSessions(place, settings)) return undefined
  return {
    problem: problem(place),
    file: settings.file,
    change: `${retention.join('.')}: false`,
    setting: retention,
    value: false,
    apply: () => editSettings(settings.file, (text) => setJsonc(text, retention, false)),
  }
}

/** Returns the change that `guard` makes, if the settings have it. */
export async function findAppliedGuard(place: Place): Promise<Pick<Guard, 'file' | 'change'> | undefined> {
  const settings = await readJsonSettings(join(geminiFolder(place), 'settings.json'))
  if (settings.get(...retention) !== false) return undefined
  return { file: settings.file, change: `${retention.join('.')}: false` }
}

/** Whether the CLI deletes sessions, by the user's settings or by default. */
export function deletesSessions(place: Place, settings: Settings): boolean {
  const value = settings.get(...retention)
  // Retention is off by default in old versions.
  return value === undefined ? atLeast(place.version, since.retention) : value !== false
}

function problem(place: Place): Problem {
  const resumed = atLeast(place.version, since.jsonlSessions)
  return {
    code: 'session_retention',
    message: resumed
      ? 'Gemini CLI deletes sessions after 30 days, and every resumed session at the next start in its project'
      : 'Gemini CLI deletes sessions after a time',
    hint: 'Turn off its session retention: remora agents guard',
  }
}
