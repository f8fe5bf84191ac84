import type { CallEntry } from '@remora/ledger'
import { getCommandLine } from '../classify/classify.ts'
import { applyEdit } from '../pave/hook.ts'
import type { Alias } from './alias.ts'

/** The hook ignores longer values too. */
const longest = 16_384

/**
 * Whether an alias would have corrected or refused a call.
 *
 * @example aliasFits({ kind: 'command', from: 'pip', to: 'pip3', createdAt }, call)
 */
export function aliasFits(
  alias: Alias,
  call: Pick<CallEntry, 'agent' | 'tool' | 'native' | 'input'>,
): boolean {
  const { kind, from, to, tool, param, command } = alias
  if (alias.agent !== undefined && alias.agent !== call.agent) return false
  if (kind === 'tool') return from === call.native || from === call.tool
  if (tool !== undefined && tool !== call.tool && tool !== call.native) return false
  const edit = { kind, from, to, ...(command === undefined ? {} : { command }) }
  const changes = (value: unknown): boolean =>
    typeof value === 'string' && value.length <= longest && applyEdit(value, edit) !== value
  if (kind === 'command' || kind === 'flag' || kind === 'recipe' || command !== undefined)
    return call.tool === 'Bash' && changes(getCommandLine(call.input))
  if (typeof call.input !== 'object' || call.input === null) return changes(call.input)
  return Object.entries(call.input).some(
    ([name, value]) => (param === undefined || param === name) && changes(value),
  )
}
