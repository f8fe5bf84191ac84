import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
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
  // The models are those of the provider that the user configured.
  models: [],
  effortLevels: [],
})
