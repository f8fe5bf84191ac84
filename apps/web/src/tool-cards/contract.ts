import type { ComponentType } from 'react'
import type { ToolCall } from '../tool-calls/call.ts'
import type { DiffStat } from '../diff/hunks.ts'

/** How one tool looks. All of it is asked with whatever an agent sent. */
export interface ToolView {
  readonly icon: ComponentType<{ readonly className?: string }>
  /** What it does, in a word or two. */
  title?(call: ToolCall): string | undefined
  /** What it does it with, for the one line that is always shown. */
  summary?(call: ToolCall): string | undefined
  /** How much came of it. */
  stat?(call: ToolCall): DiffStat | string | undefined
  /** What is shown when somebody wants to see more. */
  readonly Body: ComponentType<{ readonly call: ToolCall }>
  /** Whether somebody wants to see it without asking. */
  readonly isOpen?: boolean
  /** Its summary is words and no code. */
  readonly isProse?: boolean
}
