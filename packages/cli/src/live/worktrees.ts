import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const worktrees: Verb = {
  name: 'worktrees',
  description: 'List git worktrees of sessions, or remove one. Unsaved work is never deleted',
  positionals: [
    { name: 'action', description: 'remove: delete a clean worktree; its commits are kept' },
    { name: 'worktree', description: 'Name, branch or path' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora worktrees', 'remora worktrees remove fix-login'],
  async run(input, io) {
    const [action, worktree] = input.positionals
    if (action !== undefined && action !== 'remove')
      throw new UsageError(
        `Unknown action "${action}" for remora worktrees`,
        'Usage: remora worktrees remove <worktree>. To create one: remora new <agent> --worktree=<name>',
      )
    if (action !== undefined && worktree === undefined)
      throw new UsageError('remora worktrees remove needs <worktree>', 'List them: remora worktrees')
    const { worktrees: run } = await import('./manage-worktrees.ts')
    return run(input, io)
  },
}
