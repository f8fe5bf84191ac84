// The agents of the live fault run, under the name of Gemini CLI: on a terminal one that writes transcripts, and over ACP
// one that notes what it hears. Neither needs a model.
import { fileURLToPath } from 'node:url'

const sources = new URL('../../../packages/', import.meta.url)
if (process.argv.includes('--acp')) {
  const program = fileURLToPath(new URL('sdk/src/channels/acp/fake-agent/agent.test-data.mjs', sources))
  const behaviour = { record: process.env.FAULTS_HEARD, lifeMs: 3_600_000 }
  process.argv = [process.execPath, program, JSON.stringify(behaviour)]
  await import(program)
} else await import(fileURLToPath(new URL('server/src/live/fake-gemini.test-data.mjs', sources)))
