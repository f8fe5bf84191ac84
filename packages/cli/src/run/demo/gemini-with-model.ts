import { spawn } from 'node:child_process'
import { startScriptedModel } from '@remora/scripted-model'
import { demoScenario } from './scenario.ts'

/**
 * Is Gemini CLI to whoever starts it, with a model of its own that lives as long as it does. Gives its exit code.
 *
 * @example process.exit(await geminiWithModel('/usr/bin/gemini', ['--acp']))
 */
export async function geminiWithModel(gemini: string, args: readonly string[]): Promise<number> {
  await using model = await startScriptedModel({ scenario: demoScenario, scenarios: [] })
  const isScript = /\.[cm]?js$/i.test(gemini)
  const child = spawn(isScript ? process.execPath : gemini, [...(isScript ? [gemini] : []), ...args], {
    stdio: 'inherit',
    env: { ...withoutOwn(process.env), GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'demo' },
  })
  // Who ends us means it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  // Awaited here: the model would be gone before the first question else.
  return await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
}

/** Without what would lead it to the person's own account, or past this machine. */
function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /^(?:GEMINI_(?!CLI_)|GOOGLE_|VERTEX|CLOUD_SHELL)|_proxy$/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)))
}
