import type { Usage } from '@remora/protocol/plain'
import type { RunResult } from '@remora/sdk'

/** One line with the usage of a run and the command that resumes it. @example summary('gemini', result) */
export function summary(agent: string, result: RunResult, cwd?: string): string {
  const { usage, durationMs, costUsd, toolCalls, sessionId, mode } = result
  return [
    models(result),
    mode === undefined || mode === 'default' ? '' : `mode ${mode}`,
    toolCalls > 0 ? `${toolCalls} tool ${toolCalls === 1 ? 'call' : 'calls'}` : '',
    tokens(usage),
    costUsd === undefined ? '' : `$${costUsd.toFixed(4)}`,
    `${(durationMs / 1000).toFixed(1)} s`,
    sessionId === '' ? '' : resumeCommand(agent, sessionId, cwd),
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** The command that resumes a session. It repeats --cwd, because a session belongs to its folder. */
function resumeCommand(agent: string, sessionId: string, cwd?: string): string {
  return `remora run ${agent} --resume ${sessionId}${cwd === undefined ? '' : ` --cwd ${quoted(cwd)}`} "…"`
}

/** The models that were used say more than a choice such as `auto`. */
function models({ model, usage }: RunResult): string {
  const used = Object.keys(usage.models ?? {})
  return used.length > 0 ? used.join(' + ') : (model ?? '')
}

function tokens({ inputTokens, outputTokens, cachedTokens, thoughtTokens }: Usage): string {
  const parts = [
    count(inputTokens, 'in', cachedTokens ? ` (${number(cachedTokens)} cached)` : ''),
    count(outputTokens, 'out', thoughtTokens ? ` (${number(thoughtTokens)} thinking)` : ''),
  ].filter((part) => part !== '')
  return parts.length > 0 ? `${parts.join(', ')} tokens` : ''
}

function count(value: number | undefined, direction: string, aside: string): string {
  return value === undefined ? '' : `${number(value)} ${direction}${aside}`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function quoted(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
