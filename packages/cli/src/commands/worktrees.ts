import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const worktrees: Verb = {
  name: 'worktrees',
  description: 'List the git worktrees that sessions were started in, or remove one in which nothing is lost',
  positionals: [
    { name: 'action', description: 'remove takes one away, if it is clean; commits that only it has stay' },
    { name: 'worktree', description: 'Its name, its branch or its path' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora worktrees', 'remora worktrees remove fix-login'],
  async run(input, io) {
    const [action, worktree] = input.positionals
    if (action !== undefined && action !== 'remove')
      throw new UsageError(
        `remora worktrees cannot "${action}"`,
        'It can: remora worktrees remove <worktree>. One is made by: remora new <agent> --worktree=<name>',
      )
    if (action !== undefined && worktree === undefined)
      throw new UsageError('remora worktrees remove needs <worktree>', 'See them: remora worktrees')
    const { worktrees: run } = await import('../live/worktrees.ts')
    return run(input, io)
  },
}
