import { RemoraError, type StartRequest } from '@remora/protocol'
import type { Agent } from '@remora/sdk'
import { checkTmux } from '@remora/sdk/terminal'

export interface ChosenChannel {
  readonly channel: 'terminal' | 'acp'
  /** Adds to an error that tmux is missing, if a terminal would have avoided it. */
  explain(error: unknown): unknown
}

/**
 * The requested channel. By default a terminal, or ACP if there is none.
 *
 * @example const { channel } = await chooseChannel(agent, request)
 */
export async function chooseChannel(
  { terminal, acp, title }: Pick<Agent, 'terminal' | 'acp' | 'title'>,
  { channel: wanted }: Pick<StartRequest, 'channel'>,
): Promise<ChosenChannel> {
  const explain = (error: unknown): unknown => error
  if (wanted !== undefined) return { channel: wanted, explain }
  if (!terminal) return { channel: 'acp', explain }
  const problem = await tmuxProblem()
  if (!problem) return { channel: 'terminal', explain }
  return {
    channel: 'acp',
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

/** Why no terminal can be opened. Checked for each session, since tmux may be installed at any time. */
function tmuxProblem(): Promise<RemoraError | undefined> {
  return checkTmux().then(
    () => undefined,
    (error: unknown) => error as RemoraError,
  )
}
