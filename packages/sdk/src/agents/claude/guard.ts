import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Guard, Place } from '../../contract/agent.ts'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { editSettings } from '../../files/settings-file.ts'
import { exists } from '../../files/paths.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { getClaudeFolder } from './home.ts'

const key = 'cleanupPeriodDays'
/** The CLI's default. */
const defaultDays = 30
/** A hundred years: the CLI has no value for "never", and 0 deletes at once. */
const never = 36_500

/** The CLI deletes transcripts that were not used for a month. */
export async function guard(place: Place): Promise<Guard | undefined> {
  const folder = getClaudeFolder(place)
  // The CLI was never used here.
  if (!(await exists(folder))) return undefined
  const settings = await readJsonSettings(join(folder, 'settings.json'))
  const [broken] = settings.problems
  if (broken) throw new RemoraError('config', broken.message, { hint: broken.hint })
  const set = settings.get(key)
  const days = typeof set === 'number' ? set : defaultDays
  if (days >= 365) return undefined
  return {
    problem: {
      code: 'session_retention',
      message: `Claude Code deletes sessions that were not used for ${days} days`,
      hint: `remora agents guard sets ${key} to ${never}`,
    },
    file: settings.file,
    change: `${key}: ${never}`,
    setting: [key],
    value: never,
    apply: () => editSettings(settings.file, (text) => setJsonc(text, [key], never)),
  }
}

/** The setting, if it has the value that `guard` writes. */
export async function findAppliedGuard(place: Place): Promise<Pick<Guard, 'file' | 'change'> | undefined> {
  const settings = await readJsonSettings(join(getClaudeFolder(place), 'settings.json'))
  return settings.get(key) === never ? { file: settings.file, change: `${key}: ${never}` } : undefined
}
