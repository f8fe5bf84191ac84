import { spawn } from 'node:child_process'
import { startScriptedModel } from '@remora/scripted-model'
import { demoScenario } from './scenario.ts'

/**
 * Runs Gemini CLI with a scripted model that lives as long as the CLI. Returns the exit code.
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
  // Signals to this process are for Gemini.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  // Awaited, because `await using` would close the model on return.
  return await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
}

/** Removes variables that would use the user's account or a proxy. */
function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /^(?:GEMINI_(?!CLI_)|GOOGLE_|VERTEX|CLOUD_SHELL)|_proxy$/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)))
}
