import type { Features } from '../../contract/agent.ts'

export const efforts: readonly string[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh']

export const features = (): Features => ({
  interrupt: true,
  resume: true,
  fork: true,
  attach: false,
  statusLine: false,
  images: false,
  streaming: true,
  webSearch: false,
  thinking: true,
  slashCommands: false,
  // The models are those of the providers that the user configured.
  models: [],
  effortLevels: efforts,
})
