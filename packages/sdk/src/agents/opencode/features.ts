import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
  interrupt: true,
  resume: true,
  fork: true,
  attach: true,
  statusLine: false,
  images: true,
  streaming: true,
  // Fetching pages is built in; web search needs a provider or a setting.
  webSearch: false,
  thinking: true,
  slashCommands: true,
  // The models and efforts depend on the user's providers.
  models: [],
  effortLevels: [],
})
