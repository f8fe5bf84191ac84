import type { CallEntry } from '@remora/ledger'
import type { FailureClass } from './failure-class.ts'

/** One line of the table by which failures are told apart. All that it names must fit; the first fitting rule decides. */
export interface Rule {
  readonly id: string
  readonly class: FailureClass
  readonly agents?: readonly string[]
  /** Tools by Claude's name; every tool where it is left out. */
  readonly tools?: readonly string[]
  readonly status?: readonly CallEntry['status'][]
  /** What the error must say. A group named `what` is the detail: the command, variable, option or path. */
  readonly pattern?: RegExp
  /** Finds the detail in the line that decided, where to look for it everywhere would take long. */
  readonly extract?: RegExp
  /** What the command line must be, for rules about shells. */
  readonly command?: RegExp
  /** Only calls that never ran: a command that did says what it says, whatever that looks like. */
  readonly refused?: true
  /** Only commands that said nothing at all. */
  readonly silent?: true
  /** The code with which the command must have ended. */
  readonly exit?: readonly number[]
}

/** Tools that run a command line, in the words of all agents. */
export const shellTools = ['Bash', 'execute_bash', 'shell', 'PowerShell'] as const

/** Tools that change a file. */
export const editTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'fs_write'] as const
