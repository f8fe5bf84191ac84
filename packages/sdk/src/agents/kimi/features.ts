import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
  interrupt: true,
  resume: true,
  fork: true,
  attach: false,
  statusLine: false,
  images: true,
  streaming: true,
  webSearch: true,
  thinking: true,
  slashCommands: true,
  // The models depend on the user's configuration.
  models: [],
  effortLevels: [],
})
