import type { Invocation, Mode, TerminalPart, TerminalStart } from '../../contract/agent.ts'
import { leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'
import { findPlanObstacle } from './plan-obstacle.ts'
import { readScreen } from './terminal-screen.ts'
import { switchMode, switchModel } from './terminal-switch.ts'

/** "Ask for approval" in Codex's dialog: it edits the workspace without asking, and asks for everything else. */
const asking = ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request']

const sandbox: Record<Mode, readonly string[]> = {
  default: asking,
  acceptEdits: asking,
  plan: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
  auto: ['--approve-for-me'],
  bypassPermissions: ['--dangerously-bypass-approvals-and-sandbox'],
}

export const terminal: TerminalPart = {
  // Shift+Tab switches between Default and Plan; permissions have a dialog of their own.
  modeSwitch: 'toggle',
  choosesSession: () => false,
  invocation,
  planObstacle: findPlanObstacle,
  read: readScreen,
  // Codex trims before it checks for an exclamation mark; a slash only counts as the first character.
  escapes: [
    { kind: 'shell', pattern: leadingBang, prefix: wordJoiner },
    { kind: 'slash', pattern: leadingSlash, prefix: ' ' },
  ],
  switchMode,
  switchModel,
  interrupt: ['Escape'],
  quit: '/quit',
  mention: (path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`),
  findSessionId,
}

function invocation(request: TerminalStart): Invocation {
  if (request.sessionId !== undefined) {
    const hint = 'Leave it out: Codex chooses the id, and the name of the file that it holds open tells it.'
    throw createUnsupportedError('Codex', 'the option sessionId', hint)
  }
  const args: string[] = []
  if (request.resume !== undefined) args.push(request.fork ? 'fork' : 'resume')
  if (request.resume === 'latest') args.push('--last')
  else if (request.resume !== undefined) args.push(request.resume)
  // The daemon outlives the terminal and copies 436 MB into the home. As a setting, since older versions
  // do not know the flag --no-daemon.
  args.push(
    '-c',
    'features.daemon_auto_start=false',
    ...(request.mode === undefined ? [] : sandbox[request.mode]),
  )
  if (request.model !== undefined) args.push('--model', request.model)
  if (request.effort !== undefined) {
    args.push('-c', `model_reasoning_effort=${JSON.stringify(request.effort)}`)
  }
  for (const [event, command] of Object.entries(request.hooks ?? {})) {
    const entry = `[{hooks=[{type="command",command=${JSON.stringify(command)}}]}]`
    args.push('-c', `hooks.${event}=${entry}`)
  }
  args.push(...(request.extraArgs ?? []))
  // After a double dash, so that no prompt is taken for an option.
  if (request.prompt !== undefined) args.push('--', request.prompt)
  return { args }
}

const id = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** A fork is a new session, whose id is not in the command line. */
function findSessionId(args: readonly string[]): string | undefined {
  const at = args.indexOf('resume')
  return at === -1 ? undefined : args.slice(at + 1).find((arg) => id.test(arg))
}
