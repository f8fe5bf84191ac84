import type { FailureClass } from '@remora/protocol/plain'
import type { Mode, ToolCall } from '@remora/scripted-model'
import { nativeFailures } from './failures-native.ts'
import { failingCommands } from './failures-shell.ts'

/** A call and why it must fail; without a reason it prepares the next one and succeeds. */
export interface Provocation {
  readonly expected?: FailureClass
  readonly newestOnly?: boolean
  readonly call: ToolCall
}

/** One run of a CLI, in which the model makes one call after the other. */
export interface FailingSession {
  readonly mode: Mode
  /** Whether rules and hooks forbid some of it. */
  readonly guarded: boolean
  readonly provocations: readonly Provocation[]
}

/**
 * What is provoked in one CLI. The newest Gemini runs every command, the others share them.
 *
 * @example failingSessions('codex', '0.166.0')
 */
export function failingSessions(agent: string, newest: boolean): FailingSession[] {
  const { bypass, guarded } = nativeFailures(agent)
  const commands = Object.entries(failingCommands).flatMap(([expected, list]) =>
    list.map((command): Provocation => ({
      expected: expected as FailureClass,
      call: { name: 'Bash', input: { command, description: 'Runs a command' } },
    })),
  )
  const share = shares[newest ? agent : `older ${agent}`] ?? (() => false)
  const shell = commands.filter((_, index) => share(index))
  const sessions: FailingSession[] = [
    {
      mode: 'bypassPermissions',
      guarded: false,
      provocations: bypass.filter((each) => newest || !each.newestOnly),
    },
    ...guarded.map((run) => ({ ...run, guarded: true })),
  ]
  // A long history makes a CLI compress it, or look for loops in it.
  for (let at = 0; at < shell.length; at += 25)
    sessions.push({ mode: 'bypassPermissions', guarded: false, provocations: shell.slice(at, at + 25) })
  return sessions
}

const shares: Readonly<Record<string, (index: number) => boolean>> = {
  gemini: () => true,
  'older gemini': (index) => index % 6 === 5,
  claude: (index) => index % 3 === 0,
  codex: (index) => index % 3 === 1,
  opencode: (index) => index % 3 === 2,
}
