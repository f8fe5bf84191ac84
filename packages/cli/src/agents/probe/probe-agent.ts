import { startScriptedModel } from '@remora/scripted-model'
import { type Channel, channels } from '@remora/protocol/plain'
import { type Agent, type ProbeCheck, type ProbeReport, type ProbeVerdict, probeChecks } from '@remora/sdk'
import type { Io } from '../../command/io.ts'
import type { Finding } from '../../detection/survey.ts'
import { probeAcp } from './probe-acp.ts'
import { probeHeadless } from './probe-headless.ts'
import { createProbeHome } from './probe-home.ts'
import { prepareHooks, probeTranscripts } from './probe-records.ts'
import { probeScenarios } from './probe-scenarios.ts'
import { type ProbeStage, checkMs, runChecks } from './probe-stage.ts'
import { probeTerminal } from './probe-terminal.ts'

interface ProbeOptions {
  /** Only these channels; all by default. */
  readonly channels?: readonly Channel[]
  /** How long a screen may stay the same. */
  readonly stalledMs?: number
  /** How long a screen may take to show what is expected. */
  readonly limitMs?: number
  readonly signal: AbortSignal
  readonly begin: (channel: Channel, check: ProbeCheck) => unknown
}

/**
 * Runs the user's own CLI on a scripted model, in an isolated home without a key, on every channel that the agent has.
 * Throws only if it was stopped.
 */
export async function probeAgent(
  agent: Agent,
  { path, version, wrapper, problems }: Pick<Finding, 'path' | 'version' | 'wrapper' | 'problems'>,
  { signal, begin, channels: wanted = channels, stalledMs = 30_000, limitMs = checkMs }: ProbeOptions,
  io: Io,
): Promise<ProbeReport> {
  const { testkit } = agent
  if (!testkit || path === null) throw new Error(`${agent.title} cannot be probed`)
  const startedAt = Date.now()
  const known = version ?? 'unknown'
  await using model = await startScriptedModel({ scenarios: probeScenarios })
  const create = () =>
    createProbeHome(
      { ...agent, testkit },
      {
        version: known,
        url: model.url,
        programs: {
          [agent.detection.variable]: path,
          ...(wrapper?.path ? { [agent.acp?.wrappers?.[0]?.variable ?? '']: wrapper.path } : {}),
        },
      },
      io,
    )
  const common = {
    agent: { ...agent, testkit },
    version: known,
    path,
    model,
    signal,
    begin,
    stalledMs,
    limitMs,
  }
  const sessions: ProbeStage['sessions'] = new Map()
  const verdicts: ProbeVerdict[] = []
  const has = (channel: Channel): boolean => wanted.includes(channel) && agent[channel] !== undefined
  // Hooks are installed in one home and would make some terminals ask about them, so there are two.
  await using headlessHome = await create()
  const headless = { ...common, home: headlessHome, sessions }
  const checkHooks = await prepareHooks(headless)
  if (has('headless')) verdicts.push(...(await probeHeadless(headless)))
  if (has('hooks')) verdicts.push(...(await checkHooks()))
  await using liveHome = await create()
  const live = { ...common, home: liveHome, sessions }
  if (has('acp'))
    verdicts.push(
      ...(wrapper !== null && wrapper.path === null
        ? await skip(live, 'acp', `Needs ${wrapper.name}`)
        : await probeAcp(live)),
    )
  if (has('terminal')) {
    const missing = problems.find(({ code }) => code === 'tmux_missing')
    verdicts.push(...(missing ? await skip(live, 'terminal', missing.message) : await probeTerminal(live)))
  }
  if (has('transcripts')) verdicts.push(...(await probeTranscripts(headless, liveHome)))
  return {
    agent: agent.id,
    version: known,
    ...(wrapper?.path ? { wrapper: `${wrapper.name} ${wrapper.version ?? ''}`.trim() } : {}),
    at: startedAt,
    seconds: Math.round((Date.now() - startedAt) / 100) / 10,
    verdicts,
  }
}

function skip(stage: ProbeStage, channel: Channel, why: string): Promise<ProbeVerdict[]> {
  return runChecks(stage, channel, Object.fromEntries(probeChecks.map((check) => [check, why])))
}
