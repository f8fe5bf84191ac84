import { join } from 'node:path'
import type { DemoSource } from '@remora/server'
import type { Io } from '../../command/io.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { findGemini } from './find-gemini.ts'
import { prepareDemo } from './prepare-demo.ts'
import { demoPrompt } from './scenario.ts'

/** Who taps on the demo has been told what is installed, and has said yes to it. */
export function appDemo(io: Io): DemoSource {
  return {
    async prepare(tell, signal) {
      const folder = join(remoraHome(io), 'demo')
      const quiet: Io = { ...io, err: () => {}, stopped: () => signal }
      const found = await findGemini(folder, true, quiet, (size) => tell('installing', size))
      tell('starting')
      const { agent, cwd } = await prepareDemo(folder, found)
      return { agent, cwd, channel: 'acp', prompt: demoPrompt }
    },
  }
}
