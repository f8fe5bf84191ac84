import type { HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import type { InstallRecord } from './install-record.ts'

/** The new text of a file, and its install record. */
export interface Plan {
  /** Undefined if the file is to be deleted. */
  readonly text: string | undefined
  readonly existed: boolean
  readonly before: string
  readonly hooks: readonly OurHook[]
}

/**
 * Replaces the hooks of one kind in a file. If the file has not changed since our last edit, the new text is built from the
 * original, so that installing twice changes nothing.
 */
export function planInstall(
  target: HookTarget,
  text: string | undefined,
  record: InstallRecord | undefined,
  hooks: readonly OurHook[],
  kind: HookKind,
): Plan {
  const base = getBase(target, text, record)
  const others = (record?.hooks ?? []).filter((hook) => hook.kind !== kind)
  if (base.untouched) {
    const all = inOrder([...others, ...hooks])
    return planned(target, base, target.added(base.before, all), all)
  }
  const present = target.entries(text ?? '')
  const kept = others.filter((hook) =>
    present.some((entry) => entry.kind === hook.kind && entry.event === hook.event),
  )
  const cleared = target.removed(text ?? '', kind, record?.before)
  return planned(target, base, target.added(cleared, hooks), inOrder([...kept, ...hooks]))
}

/** Removes our hooks of one kind, or all of them. */
export function planUninstall(
  target: HookTarget,
  text: string,
  record: InstallRecord | undefined,
  kind: HookKind | undefined,
): Plan & { readonly untouched: boolean } {
  const base = getBase(target, text, record)
  const hooks = (record?.hooks ?? []).filter((hook) => kind !== undefined && hook.kind !== kind)
  const result = !base.untouched
    ? target.removed(text, kind, record?.before)
    : hooks.length === 0
      ? base.before
      : target.added(base.before, hooks)
  return planned(target, base, result, hooks)
}

/** A file without our hooks needs no record and is not created. */
function planned<B extends Omit<Plan, 'text' | 'hooks'>>(
  target: HookTarget,
  base: B,
  text: string,
  hooks: readonly OurHook[],
): B & Plan {
  const none = text === base.before
  // Not every kind belongs to every file.
  const kinds = new Set(target.entries(text).map((entry) => entry.kind))
  return {
    ...base,
    text: none && !base.existed ? undefined : text,
    hooks: none ? [] : hooks.filter(({ kind }) => kinds.has(kind)),
  }
}

/** The text without our hooks: the original bytes, unless the file was changed since our last edit. */
function getBase(
  target: HookTarget,
  text: string | undefined,
  record: InstallRecord | undefined,
): { untouched: boolean; before: string; existed: boolean } {
  if (text === undefined) return { untouched: false, before: '', existed: false }
  if (record && computeDigest(text) === record.after)
    return { untouched: true, before: record.before, existed: record.existed }
  const before = target.removed(text, undefined, record?.before)
  // A file that we created is still ours if it contains nothing else.
  return { untouched: false, before, existed: before !== '' || record?.existed !== false }
}

function inOrder(hooks: readonly OurHook[]): OurHook[] {
  return hooks.toSorted((a, b) => Number(a.kind === 'pave') - Number(b.kind === 'pave'))
}
