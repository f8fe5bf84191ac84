import { join } from 'node:path'
import { getModeName } from '@remora/protocol/plain'
import type { Mode, Place, StartMode } from '../../contract/agent.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'
import { modes } from './modes.ts'

/**
 * The mode in which the CLI starts: `default`, unless the settings choose another. Gemini CLI accepts `yolo` from no
 * file.
 */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  if (wanted !== undefined) return { mode: wanted, request: wanted }
  const files = [join(geminiFolder(place), 'settings.json'), join(place.cwd, '.gemini', 'settings.json')]
  const settings = await Promise.all(files.map((file) => readJsonSettings(file)))
  const mode = settings
    // The setting had the second name before 0.34.
    .flatMap((each) => [each.get('tools', 'approvalMode'), each.get('general', 'defaultApprovalMode')])
    .map((value) => modes.find(({ id, like }) => id === value && like !== 'bypass'))
    .findLast((each) => each !== undefined)
  // No flag is passed, because the CLI reads the same files and knows which of them it trusts.
  return { mode: mode ? getModeName(modes, mode) : 'default' }
}
