import type { Message } from '@remora/protocol'

export interface LastUsage {
  readonly model: string | undefined
  /** What the model had before it after it had answered. */
  readonly tokens: number
}

/** How much the agent itself used in its last answer; sub-agents have a context of their own. */
export function findLastUsage(messages: readonly Message[]): LastUsage | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, parent, usage, model } = messages[index]!
    if (role !== 'assistant' || parent !== undefined || usage?.inputTokens === undefined) continue
    return { model, tokens: usage.inputTokens + (usage.outputTokens ?? 0) }
  }
  return undefined
}

/** What is left, in percent; undefined where the numbers do not fit together, since then one of them is wrong. */
export function getPercentLeft(used: number | undefined, size: number | undefined): number | undefined {
  if (used === undefined || size === undefined || !(size > 0) || used < 0 || used > size) return undefined
  return Math.floor(((size - used) / size) * 100)
}
