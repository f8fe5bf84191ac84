import type { Features } from '../../contract/agent.ts'

// An alias is always the newest model of its kind, so the list does not become outdated.
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

/**
 * Context windows from the catalogue of 2.1.197. Models whose window is 200,000 or a million by the user's choice are
 * left out, since their answers do not show which.
 */
const windows: Readonly<Record<string, number>> = {
  'claude-fable-5': 1_000_000,
  'claude-sonnet-5': 1_000_000,
  'claude-opus-4-8': 1_000_000,
  'claude-opus-4-7': 1_000_000,
  'claude-opus-4-5': 200_000,
  'claude-opus-4-1': 200_000,
  'claude-opus-4': 200_000,
  'claude-haiku-4-5': 200_000,
  'claude-3-7-sonnet': 200_000,
  'claude-3-5-sonnet': 200_000,
  'claude-3-5-haiku': 200_000,
}

/** @example getContextWindow('claude-opus-4-1-20250805') // 200000 */
export function getContextWindow(model: string): number | undefined {
  const name = model.toLowerCase().replace(/-\d{8}$/, '')
  if (name.endsWith('[1m]')) return 1_000_000
  return Object.hasOwn(windows, name) ? windows[name] : undefined
}
