import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Guard, Place } from '../../contract/agent.ts'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { editSettings } from '../../files/settings-file.ts'
import { exists } from '../../files/paths.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { claudeFolder } from './home.ts'

const key = 'cleanupPeriodDays'
/** What the CLI takes for granted where the setting is not there. */
const usual = 30
/** A hundred years: the CLI has no word for never, and takes none at all to mean at once. */
const never = 36_500

/** The CLI deletes transcripts that nobody used for a month. */
export async function guard(place: Place): Promise<Guard | undefined> {
  const folder = claudeFolder(place)
  // Nobody has used the CLI here.
  if (!(await exists(folder))) return undefined
  const settings = await readJsonSettings(join(folder, 'settings.json'))
  const [broken] = settings.problems
  if (broken) throw new RemoraError('config', broken.message, { hint: broken.hint })
  const set = settings.get(key)
  const days = typeof set === 'number' ? set : usual
  if (days >= 365) return undefined
  return {
    problem: {
      code: 'session_retention',
      message: `Claude Code deletes sessions that were not used for ${days} days`,
      hint: `remora guard sets ${key} to ${never}`,
    },
    file: settings.file,
    change: `${key}: ${never}`,
    setting: [key],
    value: never,
    apply: () => editSettings(settings.file, (text) => setJsonc(text, [key], never)),
  }
}

/** The setting as `guard` leaves it. */
export async function guarded(place: Place): Promise<Pick<Guard, 'file' | 'change'> | undefined> {
  const settings = await readJsonSettings(join(claudeFolder(place), 'settings.json'))
  return settings.get(key) === never ? { file: settings.file, change: `${key}: ${never}` } : undefined
}
