import { RemoraError, type StartRequest } from '@remora/protocol'
import type { Agent } from '@remora/sdk'
import { type DriverName, checkPty, checkTmux } from '@remora/sdk/terminal'

export interface ChosenChannel {
  readonly channel: 'terminal' | 'acp'
  /** What holds the terminal. */
  readonly driver: DriverName
  /** Adds to an error that there is no terminal, if one would have avoided it. */
  explain(error: unknown): unknown
}

/**
 * The requested channel. By default a terminal: in tmux, or in a PTY host where tmux is missing; the request and the
 * settings can choose. ACP is the default only for agents without a terminal, and where there is neither.
 *
 * @example const { channel } = await chooseChannel(agent, request)
 */
export async function chooseChannel(
  { terminal, acp, title }: Pick<Agent, 'terminal' | 'acp' | 'title'>,
  { channel: wanted, terminal: holder }: Pick<StartRequest, 'channel' | 'terminal'>,
  preferred?: DriverName,
): Promise<ChosenChannel> {
  const explain = (error: unknown): unknown => error
  const chosen = holder ?? preferred
  if (wanted === 'acp' || (!terminal && wanted === undefined))
    return { channel: 'acp', driver: 'tmux', explain }
  if (chosen !== undefined) return { channel: 'terminal', driver: chosen, explain }
  const problem = await findTmuxProblem()
  if (!problem) return { channel: 'terminal', driver: 'tmux', explain }
  if (hasPty()) return { channel: 'terminal', driver: 'pty', explain }
  if (wanted === 'terminal') return { channel: 'terminal', driver: 'tmux', explain }
  return {
    channel: 'acp',
    driver: 'tmux',
    explain(error) {
      if (!RemoraError.is(error) || error.code !== 'agent_missing' || !acp?.wrappers) return error
      return new RemoraError(
        error.code,
        `${title} needs tmux for a terminal, or its ACP wrapper, and there is neither`,
        {
          hint: [problem.hint, error.hint && `Or the wrapper: ${error.hint}`].filter(Boolean).join(' '),
          cause: error,
        },
      )
    },
  }
}

/** Why tmux cannot be used. Checked for each session, since it may be installed at any time. */
function findTmuxProblem(): Promise<RemoraError | undefined> {
  return checkTmux().then(
    () => undefined,
    (error: unknown) => error as RemoraError,
  )
}

function hasPty(): boolean {
  try {
    checkPty()
    return true
  } catch {
    return false
  }
}
