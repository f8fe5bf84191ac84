import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoSource } from '@remora/server'
import type { Io } from '../../command/io.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { type FoundGemini, findGemini } from './find-gemini.ts'
import { demoFile, demoPrompt } from './scenario.ts'

/** How a demo session is started. It does not use the user's home. */
export interface DemoSpec {
  readonly agent: 'gemini'
  readonly home: string
  readonly cwd: string
  /** Additional environment variables, which choose the program. */
  readonly env: Readonly<Record<string, string>>
}

/** Creates the home, folder and program of the demo. */
export async function prepareDemo(place: string, gemini: FoundGemini): Promise<DemoSpec> {
  await mkdir(place, { recursive: true, mode: 0o700 })
  // The server identifies the demo by its real folder path.
  const folder = await realpath(place)
  const home = join(folder, 'home')
  const cwd = join(home, 'demo')
  const program = join(folder, 'agent', 'gemini.mjs')
  const spec: DemoSpec = {
    agent: 'gemini',
    home,
    cwd,
    env: {
      HOME: home,
      GEMINI_CLI_PATH: program,
      GEMINI_API_KEY: 'demo',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
  }
  for (const each of [join(home, '.gemini'), cwd, join(folder, 'agent')])
    await mkdir(each, { recursive: true, mode: 0o700 })
  const files: Record<string, string> = {
    [join(home, '.gemini', 'settings.json')]: json({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
    [join(home, '.gemini', 'trustedFolders.json')]: json({ [cwd]: 'TRUST_FOLDER' }),
    [join(cwd, demoFile.name)]: demoFile.content,
    // Lets version detection find Gemini's version.
    [join(folder, 'agent', 'package.json')]: json({
      name: '@google/gemini-cli',
      version: gemini.version,
      type: 'module',
    }),
    [program]: `// Gemini CLI with a scripted model. Written by remora demo.
import { geminiWithModel } from ${JSON.stringify(new URL('./gemini-with-model.js', moduleFolder()).href)}
process.exit(await geminiWithModel(${JSON.stringify(gemini.path)}, process.argv.slice(2)))
`,
    [join(folder, 'spec.json')]: json(spec),
  }
  for (const [file, content] of Object.entries(files)) await writeFile(file, content, { mode: 0o600 })
  return spec
}

/** The folder of the built files, also when this file runs from source. */
function moduleFolder(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? '../../../dist/run/demo/' : './', import.meta.url)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The demo of the app, whose user has already confirmed the installation. */
export function appDemo(io: Io): DemoSource {
  return {
    async prepare(report, signal) {
      const folder = join(remoraHome(io), 'demo')
      const quiet: Io = { ...io, err: () => {}, stopped: () => signal }
      const found = await findGemini(folder, true, quiet, (size) => report('installing', size))
      report('starting')
      const { agent, cwd } = await prepareDemo(folder, found)
      return { agent, cwd, channel: 'acp', prompt: demoPrompt }
    },
  }
}
