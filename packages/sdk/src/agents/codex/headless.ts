import type { HeadlessPart, Mode } from '../../agent.ts'
import { unsupported } from '../../unsupported.ts'

// `exec` never asks anybody. In the mode default the user's own configuration decides what runs.
const sandbox: Record<Mode, readonly string[]> = {
  default: [],
  acceptEdits: ['--sandbox', 'workspace-write'],
  plan: ['--sandbox', 'read-only'],
  bypassPermissions: ['--dangerously-bypass-approvals-and-sandbox'],
}

export const headless: HeadlessPart = {
  invocation(request) {
    if (request.sessionId !== undefined) {
      throw unsupported(
        'Codex',
        'the option sessionId',
        'Leave it out: Codex names the session in its first line.',
      )
    }
    const args = ['exec', '--json', ...sandbox[request.mode ?? 'default']]
    if (request.model !== undefined) args.push('--model', request.model)
    // Outside a git repository and outside a trusted folder, `exec` refuses to run without it.
    if (request.skipTrust) args.push('--skip-git-repo-check')
    args.push(...(request.extraArgs ?? []))
    // `resume` itself takes no sandbox, so it stands behind the options of `exec`.
    if (request.resume !== undefined) args.push('resume', request.resume)
    return { args: [...args, '-'], stdin: request.prompt }
  },
}
