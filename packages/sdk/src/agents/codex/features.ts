import type { Features } from '../../contract/agent.ts'

export const features = (): Features => ({
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

/** Context windows from the catalogue of 0.166.0. */
const windows: Readonly<Record<string, number>> = {
  'gpt-6.1-sol': 272_000,
  'gpt-6.1-terra': 500_000,
  'gpt-6-astra': 272_000,
  'gpt-6-sol': 272_000,
  'gpt-6-luna': 272_000,
  'gpt-5.6-sol': 272_000,
  'gpt-5.6-terra': 272_000,
  'gpt-5.6-luna': 272_000,
  'gpt-5.5': 272_000,
}

/** The part that Codex uses and reports as `model_context_window`. */
const usableShare = 0.95

/** @example getContextWindow('gpt-6-sol') // 258400 */
export function getContextWindow(model: string): number | undefined {
  const window = Object.hasOwn(windows, model) ? windows[model] : undefined
  return window === undefined ? undefined : Math.round(window * usableShare)
}
