// Two clients of the same fake agent: the bare protocol library, and ours.
import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import { connect } from '@remora/sdk/acp'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export const fakeAgent = fileURLToPath(
  new URL('../../packages/sdk/src/channels/acp/fake-agent/agent.test-data.mjs', import.meta.url),
)

// Without variables such as NODE_EXTRA_CA_CERTS, which make every start of Node three times as slow.
const unwanted = Object.keys(process.env).filter((name) => name.startsWith('NODE_'))
export const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !unwanted.includes(name)),
)

/** The baseline: a program that uses only the library. `prompt` resolves with the number of chunks. */
export async function bareClient(cwd) {
  // In its own process session, like ours: on a busy machine Linux shares CPU time among sessions.
  const stdio = ['pipe', 'pipe', 'ignore']
  const child = spawn(process.execPath, [fakeAgent], { stdio, env, detached: true })
  let chunks = 0
  const connection = client({ name: 'bench' })
    .onRequest('session/request_permission', () => ({ outcome: { outcome: 'cancelled' } }))
    .onNotification('session/update', ({ params }) => {
      if (params.update.sessionUpdate === 'agent_message_chunk') chunks++
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))
  const { agent } = connection
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] })
  return {
    async prompt(text) {
      chunks = 0
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
      return chunks
    },
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

export async function ourClient(cwd) {
  const withoutNode = Object.fromEntries(unwanted.map((name) => [name, undefined]))
  const connection = await connect({ command: process.execPath, args: [fakeAgent] }, { env: withoutNode })
  const session = await connection.open({ cwd })
  return {
    async prompt(text) {
      let chunks = 0
      for await (const event of session.prompt(text)) if (event.type === 'text') chunks++
      return chunks
    },
    close: () => connection.close(),
  }
}
