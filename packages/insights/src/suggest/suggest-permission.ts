import { classify, commandOf } from '../classify/classify.ts'
import { isDangerous } from './dangerous.ts'
import type { DesirePath } from '../analysis/paths.ts'
import { type Setting, allowSetting, prefixOf } from './suggest-settings.ts'

/** What to do about a refusal: a rule of the CLI that allows it, or words for the agent. */
export interface PermissionAdvice {
  readonly text: string
  readonly setting?: Setting
  readonly lesson?: string
}

/** Refusals that come from rules of a CLI, which another rule can change. */
const ofRules = new Set(['permission-not-granted', 'refused-by-policy'])
const ofHooks = /\bhooks?\b|^Tool execution blocked/im
const ofFolders = /For security|allowed (?:working|workspace) director/i

/**
 * What to do about calls that were refused. A rule is offered only where a rule refused them, and never for a command
 * that a person should look at each time.
 *
 * @example permissionAdvice(path)?.setting?.paste
 */
export function permissionAdvice({ rule, example }: DesirePath): PermissionAdvice | undefined {
  // The system and services refuse what no rule of a CLI can allow.
  if (rule === 'system-permission' || rule === 'service-permission') return undefined
  const { agent, tool, native, error = '', input } = example
  const command = commandOf(input)
  const words = tool === 'Bash' ? prefixOf(command) : undefined
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
  // How the call ended decided first; what was said tells who refused it.
  const told = classify({ ...example, status: 'error' }).rule
  if (!ofRules.has(told) && !/requires? (?:approval|permission)/i.test(error))
    return {
      text: 'A person refused it, or nobody was there to be asked',
      lesson: `Ask before you use ${what}, and say why you need it.`,
    }
  const setting = allowSetting(agent, tool, native, command)
  return setting && { text: 'If it may run without asking', setting }
}
