import { modes } from '../../contract/agent.ts'
import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
  permissionModes: modes,
  interrupt: true,
  resume: true,
  fork: true,
  attach: true,
  statusLine: false,
  images: true,
  streaming: true,
  webSearch: true,
  thinking: true,
  slashCommands: true,
  // From `model/list` of the app server of 0.166.0 without a login, without the older generation.
  models: [
    { id: 'gpt-6.1-sol', name: 'GPT-6.1 Sol' },
    { id: 'gpt-6-astra', name: 'GPT-6 Astra' },
    { id: 'gpt-6-sol', name: 'GPT-6 Sol' },
    { id: 'gpt-6-luna', name: 'GPT-6 Luna' },
    { id: 'gpt-6.1-terra', name: 'GPT-6.1 Terra' },
  ],
  effortLevels: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
})
