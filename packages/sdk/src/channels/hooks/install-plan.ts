import type { HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import type { InstallRecord } from './install-record.ts'

/** What a file shall be, and what to remember of it. */
export interface Plan {
  /** Undefined where the file shall not be there. */
  readonly text: string | undefined
  readonly existed: boolean
  readonly before: string
  readonly hooks: readonly OurHook[]
}

/**
 * A file with these hooks of one kind instead of those of the same kind that it has, in whatever form. Where nobody else
 * has written since we did, it is made anew of what was there before us, so that installing twice changes nothing.
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

/** A file without hooks of one kind, or of ours at all. */
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

/** A file in which nothing of ours is need not be remembered, and is not made either. */
function planned<B extends Omit<Plan, 'text' | 'hooks'>>(
  target: HookTarget,
  base: B,
  text: string,
  hooks: readonly OurHook[],
): B & Plan {
  const none = text === base.before
  // Not every kind has to do with every file.
  const kinds = new Set(target.entries(text).map((entry) => entry.kind))
  return {
    ...base,
    text: none && !base.existed ? undefined : text,
    hooks: none ? [] : hooks.filter(({ kind }) => kinds.has(kind)),
  }
}

/** What the file is without us: the exact bytes, unless somebody else has written since. */
function getBase(
  target: HookTarget,
  text: string | undefined,
  record: InstallRecord | undefined,
): { untouched: boolean; before: string; existed: boolean } {
  if (text === undefined) return { untouched: false, before: '', existed: false }
  if (record && computeDigest(text) === record.after)
    return { untouched: true, before: record.before, existed: record.existed }
  const before = target.removed(text, undefined, record?.before)
  // A file that we have made is still ours as long as nothing else stands in it.
  return { untouched: false, before, existed: before !== '' || record?.existed !== false }
}

function inOrder(hooks: readonly OurHook[]): OurHook[] {
  return hooks.toSorted((a, b) => Number(a.kind === 'pave') - Number(b.kind === 'pave'))
}
