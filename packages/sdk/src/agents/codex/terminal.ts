import type { Mode, TerminalPart } from '../../agent.ts'

const sandbox: Record<Mode, readonly string[]> = {
  default: [],
  acceptEdits: ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request'],
  plan: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
  bypassPermissions: ['--dangerously-bypass-approvals-and-sandbox'],
}

export const terminal: TerminalPart = {
  // Shift+Tab knows Default and Plan only; permissions have a dialog of their own.
  modeSwitch: 'toggle',
  invocation(request) {
    const args = request.resume === undefined ? [] : ['resume', request.resume]
    // The daemon outlives the terminal and copies 436 MB into the home. As a setting, since older versions
    // do not know the flag --no-daemon.
    args.push('-c', 'features.daemon_auto_start=false', ...sandbox[request.mode ?? 'default'])
    if (request.model !== undefined) args.push('--model', request.model)
    return { args }
  },
}
