import { join } from 'node:path'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { colors } from '../../output/colors.ts'
import { homePath } from '../../output/home-path.ts'
import { chatWithAgent } from '../chat/chat-with-agent.ts'
import { findGemini } from './find-gemini.ts'
import { prepareDemo } from './prepare-demo.ts'
import { demoPrompt } from './scenario.ts'

/** Runs a chat with the real Gemini CLI on a scripted model. */
export async function showDemo(input: Input, io: Io): Promise<number> {
  const state = remoraHome(io)
  const folder = join(state, 'demo')
  const found = await findGemini(folder, input.values['yes'] === true, io)
  const spec = await prepareDemo(folder, found)
  const { dim } = await colors(input, io)
  const hint = input.values['live'] ? [] : [`Try this prompt: ${demoPrompt}`]
  io.err(
    `${[
      `Real Gemini CLI ${found.version} on a scripted model: no API key, no network.`,
      `It works in ${homePath(spec.cwd, io.home)} and asks before each change.`,
      ...hint,
    ]
      .map((line) => dim(line))
      .join('\n')}\n\n`,
  )
  const { color, live } = input.values
  const common = { lists: {}, rest: [], positionals: [spec.agent] }
  const painted = color === undefined ? {} : { color }
  if (live) {
    const { newSession } = await import('../../live/new-session.ts')
    return newSession({ ...common, values: { acp: true, cwd: spec.cwd, prompt: demoPrompt, ...painted } }, io)
  }
  return chatWithAgent(
    {
      ...common,
      // Without a terminal, asks can be answered with remora answer.
      values: { permissions: 'ask', ...painted },
    },
    { ...io, cwd: spec.cwd, home: spec.home, env: { ...io.env, ...spec.env, REMORA_HOME: state } },
    // The demo starts from scratch each time.
    { resumable: false },
  )
}
