// The fake Gemini CLI of the live fault run: writes transcripts in a terminal, and records received messages over ACP.
// Neither needs a model.
import { fileURLToPath } from 'node:url'

const sources = new URL('../../../packages/', import.meta.url)
if (process.argv.includes('--acp')) {
  const program = fileURLToPath(new URL('sdk/src/channels/acp/fake-agent/agent.test-data.mjs', sources))
  const options = { record: process.env.FAULTS_RECORD, lifeMs: 3_600_000 }
  process.argv = [process.execPath, program, JSON.stringify(options)]
  await import(program)
} else await import(fileURLToPath(new URL('server/src/live/fake-gemini.test-data.mjs', sources)))
