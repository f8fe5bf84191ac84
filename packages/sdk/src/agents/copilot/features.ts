import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
  interrupt: true,
  resume: true,
  fork: false,
  attach: false,
  statusLine: true,
  images: true,
  streaming: true,
  webSearch: false,
  thinking: true,
  slashCommands: true,
  // The models depend on the account and on the provider.
  models: [],
  effortLevels: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
})
