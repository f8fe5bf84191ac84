import type { CallEntry } from '@remora/ledger'
import type { FailureClass } from './failure-class.ts'

/** One line of the classification table. A rule matches if all its conditions hold; the first match decides. */
export interface Rule {
  readonly id: string
  readonly class: FailureClass
  readonly agents?: readonly string[]
  /** Tools by Claude's name; every tool if omitted. */
  readonly tools?: readonly string[]
  readonly status?: readonly CallEntry['status'][]
  /** Matches the error. A group named `what` is the detail: the command, variable, option or path. */
  readonly pattern?: RegExp
  /** Finds the detail in the matched line only, because a search of the whole text would be slow. */
  readonly extract?: RegExp
  /** Matches the command line of a shell call. */
  readonly command?: RegExp
  /** Only calls that never ran, because the output of a command that ran can contain any text. */
  readonly refused?: true
  /** Only commands without output. */
  readonly silent?: true
  /** The exit code of the command. */
  readonly exit?: readonly number[]
}

/** Tools that run a command line, by the names of all agents. */
export const shellTools = ['Bash', 'execute_bash', 'shell', 'PowerShell'] as const

/** Tools that change a file. */
export const editTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'fs_write'] as const
