import type { AgentMode, Mode } from '../../contract/agent.ts'

/** A mode, and the arguments and texts that stand for it. Codex has no single list of modes with ids. */
export interface CodexMode extends AgentMode {
  /** The arguments of `exec`, which never asks. */
  readonly headless: readonly string[]
  /** The arguments of a terminal. */
  readonly terminal: readonly string[]
  /** The entry of the dialog "Update Model Permissions"; the label by default. */
  readonly entry?: string
}

/** "Ask for approval" in Codex's dialog: it edits the workspace without asking, and asks for everything else. */
const asking = ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request']

export const modes: readonly CodexMode[] = [
  {
    id: 'on-request',
    label: 'Ask for approval',
    like: 'ask',
    headless: ['--sandbox', 'read-only'],
    terminal: asking,
  },
  {
    id: 'workspace-write',
    label: 'Edit the workspace',
    like: 'acceptEdits',
    headless: ['--sandbox', 'workspace-write'],
    terminal: asking,
    entry: 'Ask for approval',
  },
  {
    id: 'read-only',
    label: 'Read only',
    like: 'plan',
    // A command that the user's rules allow would run outside of the sandbox.
    headless: ['--sandbox', 'read-only', '--ignore-rules'],
    terminal: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
  },
  {
    id: 'approve-for-me',
    label: 'Approve for me',
    like: 'auto',
    aliases: ['agent'],
    headless: ['--approve-for-me'],
    terminal: ['--approve-for-me'],
  },
  {
    id: 'danger-full-access',
    label: 'Full access',
    like: 'bypass',
    aliases: ['full-access', 'agent-full-access'],
    headless: ['--dangerously-bypass-approvals-and-sandbox'],
    terminal: ['--dangerously-bypass-approvals-and-sandbox'],
  },
]

/** The mode of an entry of the permissions dialog. @example findEntry('Full Access')?.like // 'bypass' */
export function findEntry(entry: string): CodexMode | undefined {
  return modes.find((mode) => getEntry(mode).toLowerCase() === entry.toLowerCase())
}

/** @example getEntry(mode) // 'Ask for approval' */
export function getEntry({ entry, label }: CodexMode): string {
  return entry ?? label
}

/** What Codex's configuration and its session files say about permissions. */
export interface Permissions {
  readonly sandbox: unknown
  readonly reviewer: unknown
  readonly approval: unknown
}

/** The mode of a session with these permissions. @example findModeName({ sandbox: 'read-only', … }) // 'plan' */
export function findModeName({ sandbox, reviewer, approval }: Permissions): Mode {
  if (sandbox === 'danger-full-access') return 'bypassPermissions'
  if (sandbox === 'read-only') return 'plan'
  if (reviewer === 'auto_review') return 'auto'
  // Codex never asks then, but its sandbox only allows edits of the workspace.
  return approval === 'never' ? 'acceptEdits' : 'default'
}

/** The modes with the ids of an ACP wrapper, in the order of `modes`. A mode without an id is left out. */
function withIds(...ids: readonly (string | undefined)[]): readonly AgentMode[] {
  return modes.flatMap((mode, index) => {
    const acp = ids[index]
    return acp === undefined ? [] : [{ ...mode, acp }]
  })
}

// In `workspace-write` Codex edits files of the workspace without asking.
export const wrapperModes = withIds('read-only', 'workspace-write', 'read-only', 'agent', 'agent-full-access')
// In `auto` the older wrapper edits files of the workspace without asking, and asks about the rest.
export const earlierWrapperModes = withIds('auto', 'auto', 'read-only', undefined, 'full-access')
