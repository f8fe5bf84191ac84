import type { Model } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { since } from './versions.ts'

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
export function models(version: string | undefined): readonly Model[] {
  return [
    ...(atLeast(version, since.modelNames) ? shortNames : []),
    ...(atLeast(version, since.currentModels) ? current : earlier),
  ]
}
