import { type Features, modes } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { sinceAutoMode } from './arguments.ts'

// An alias is always the newest model of its kind, so the list does not become outdated.
export const features = (version: string | undefined): Features => ({
  permissionModes: modes.filter((mode) => mode !== 'auto' || atLeast(version, sinceAutoMode)),
  interrupt: true,
  resume: true,
  fork: true,
  attach: false,
  statusLine: true,
  images: true,
  streaming: true,
  webSearch: true,
  thinking: true,
  slashCommands: true,
  models: [
    { id: 'default', name: 'Default' },
    { id: 'opus', name: 'Claude Opus' },
    { id: 'sonnet', name: 'Claude Sonnet' },
    { id: 'haiku', name: 'Claude Haiku' },
  ],
  // From `--effort` of 2.1.197.
  effortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
  contextWindow: 200_000,
})
