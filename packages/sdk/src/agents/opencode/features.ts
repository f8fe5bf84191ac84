import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
  permissionModes: ['default', 'acceptEdits', 'plan', 'bypassPermissions'],
  interrupt: true,
  resume: true,
  fork: true,
  attach: true,
  statusLine: false,
  images: true,
  streaming: true,
  // Fetching pages is built in; searching needs a provider or a switch that has it.
  webSearch: false,
  thinking: true,
  slashCommands: true,
  // Models and their efforts are what the user's providers offer.
  models: [],
  effortLevels: [],
})
