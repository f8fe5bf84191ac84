import type { Features, Model } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { since } from './versions.ts'

export function features(version: string | undefined): Features {
  return {
    interrupt: true,
    resume: atLeast(version, since.resume),
    fork: atLeast(version, since.resume),
    attach: false,
    statusLine: false,
    images: true,
    streaming: atLeast(version, since.streamJson),
    webSearch: true,
    thinking: true,
    slashCommands: true,
    models: models(version),
    effortLevels: [],
    contextWindow: 1_048_576,
  }
}

/** The CLI assumes this context window for every Gemini model. Other models may have a smaller one. */
const window = 1_048_576

/** @example getContextWindow('gemini-2.5-pro') // 1048576 */
export function getContextWindow(model: string): number | undefined {
  return model.startsWith('gemini-') ? window : undefined
}

// The target of a short name depends on the account (access to previews), so it is listed as a model of its own.
const shortNames: readonly Model[] = [
  { id: 'auto', name: 'Auto' },
  { id: 'pro', name: 'Pro' },
  { id: 'flash', name: 'Flash' },
  { id: 'flash-lite', name: 'Flash Lite' },
]

const current: readonly Model[] = [
  { id: 'gemini-3.1-pro-preview-customtools', name: 'Gemini 3.1 Pro (preview)' },
  { id: 'gemini-3-flash-preview', name: 'Gemini 3 Flash (preview)' },
  { id: 'gemini-2.5-pro', name: 'Gemini 2.5 Pro' },
  { id: 'gemini-3.8-flash', name: 'Gemini 3.8 Flash' },
  { id: 'gemini-3.5-flash-lite', name: 'Gemini 3.5 Flash Lite' },
]

const earlier: readonly Model[] = [
  { id: 'gemini-2.5-pro', name: 'Gemini 2.5 Pro' },
  { id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash' },
  { id: 'gemini-2.5-flash-lite', name: 'Gemini 2.5 Flash Lite' },
]

/**
 * Lists the short names and the ids that the version offers over ACP or as defaults. The CLI accepts any other id too.
 */
function models(version: string | undefined): readonly Model[] {
  return [
    ...(atLeast(version, since.modelNames) ? shortNames : []),
    ...(atLeast(version, since.currentModels) ? current : earlier),
  ]
}
