import { words } from '../words/index.ts'

/** Whether tools run without approval in this mode. */
export function isSelfApproving(mode: string | undefined): boolean {
  return mode === 'auto' || mode === 'bypassPermissions'
}

/** The label of a mode. A mode without a label keeps its own name. */
export function getModeName(mode: string | undefined): string {
  if (mode === undefined) return words.status.noMode
  return Object.hasOwn(words.status.modes, mode) ? words.status.modes[mode]!.name : mode
}

/** The label of a mode, marked if tools run without approval. */
export function ModeName({ mode }: { readonly mode: string | undefined }) {
  return <span className={isSelfApproving(mode) ? 'text-warn' : ''}>{getModeName(mode)}</span>
}
