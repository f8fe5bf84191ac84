import { classify, getCommandLine } from '../classify/classify.ts'
import { isDangerous } from './dangerous.ts'
import type { DesirePath } from '../analysis/paths.ts'
import { type Setting, allowSetting, getCommandPrefix } from './suggest-settings.ts'

/** Advice on a refusal: a rule of the CLI that allows the call, or a lesson for the agent. */
export interface PermissionAdvice {
  readonly text: string
  readonly setting?: Setting
  readonly lesson?: string
}

/** Refusals by rules of a CLI, which another rule can change. */
const ofRules = new Set(['permission-not-granted', 'refused-by-policy'])
const ofHooks = /\bhooks?\b|^Tool execution blocked/im
const ofFolders = /For security|allowed (?:working|workspace) director/i

/**
 * Advises on refused calls. A rule is offered only if a rule refused them, and never for a command that needs approval
 * each time.
 *
 * @example permissionAdvice(path)?.setting?.paste
 */
export function permissionAdvice({ rule, example }: DesirePath): PermissionAdvice | undefined {
  // A rule of a CLI cannot override the system or a service.
  if (rule === 'system-permission' || rule === 'service-permission') return undefined
  const { agent, tool, native, error = '', input } = example
  const command = getCommandLine(input)
  const words = tool === 'Bash' ? getCommandPrefix(command) : undefined
  const what = words ? `\`${words.join(' ')}\`` : tool === 'Bash' ? 'such a command' : `\`${native}\``
  if (ofFolders.test(error))
    return {
      text: 'The agent left the folders that it may use, and no rule for commands changes that',
      lesson: 'Work only in the folders of this session; ask before you touch anything outside of them.',
    }
  if (ofHooks.test(error))
    return {
      text: 'A hook refused it, and no rule changes that',
      lesson: `A hook refuses ${what} here: do what it says, and do not try another way around it.`,
    }
  if (words && isDangerous(words))
    return {
      text: 'Too much to allow for good: answer when the agent asks',
      lesson: `Say what you want to do with ${what} and why, and wait for the answer of a person.`,
    }
  // The status hides the text, which shows what refused the call.
  const errorRule = classify({ ...example, status: 'error' }).rule
  if (!ofRules.has(errorRule) && !/requires? (?:approval|permission)/i.test(error))
    return {
      text: 'A person denied it, or it could not be asked for',
      lesson: `Ask before you use ${what}, and say why you need it.`,
    }
  const setting = allowSetting(agent, tool, native, command)
  return setting && { text: 'If it may run without asking', setting }
}
