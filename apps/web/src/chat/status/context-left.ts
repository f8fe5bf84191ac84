import type { Message } from '@remora/protocol'

export interface LastUsage {
  readonly model: string | undefined
  /** The tokens in context after the answer. */
  readonly tokens: number
}

/** The usage of the last answer of the main agent. Sub-agents have their own context. */
export function findLastUsage(messages: readonly Message[]): LastUsage | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, parent, usage, model } = messages[index]!
    if (role !== 'assistant' || parent !== undefined || usage?.inputTokens === undefined) continue
    return { model, tokens: usage.inputTokens + (usage.outputTokens ?? 0) }
  }
  return undefined
}

/** The remaining percentage; undefined if the numbers contradict each other. */
export function getPercentLeft(used: number | undefined, size: number | undefined): number | undefined {
  if (used === undefined || size === undefined || !(size > 0) || used < 0 || used > size) return undefined
  return Math.floor(((size - used) / size) * 100)
}
