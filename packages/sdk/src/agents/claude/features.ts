import { type Features, modes } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { sinceAutoMode } from './arguments.ts'

// The aliases stand for the newest model of each kind, so no ids that age are listed.
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
  // As `--effort` of 2.1.197 lists them.
  effortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
  contextWindow: 200_000,
})
