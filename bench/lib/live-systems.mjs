// The two compared systems: how to start each, and the options of its writer and reader.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hapi, peers } from './live-peers.mjs'
import { ask, findFreePort, startServer } from './live-server.mjs'

const remora = fileURLToPath(new URL('../../packages/cli/bin/remora.mjs', import.meta.url))
const cliToken = 'a-token-for-the-bench-0123456789abcdef'

/** Ours: `remora serve`, with a paired device as reader. */
export const ours = {
  name: 'ours',
  title: 'remora serve',
  async start(folder) {
    const home = join(folder, 'ours')
    mkdirSync(home, { recursive: true })
    const remoraHome = join(home, '.remora')
    const port = await findFreePort()
    const server = await startServer({
      command: [process.execPath, remora, 'serve', '--port', String(port)],
      env: { HOME: home, REMORA_HOME: remoraHome },
      cwd: home,
      port,
    })
    return {
      ...server,
      async meet() {
        const socketPath = join(remoraHome, 'server.sock')
        await server.untilAnswers({ socketPath })
        const { code } = await ask({ socketPath, method: 'POST', path: '/api/pair/code', body: {} })
        const { token } = await ask({
          port,
          method: 'POST',
          path: '/api/pair',
          body: { code, name: 'bench', token: true },
        })
        return { writer: { remoraHome }, reader: { port, token } }
      },
    }
  },
}

/** HAPI's hub, with the same parts. */
export const other = {
  name: 'hapi',
  title: 'hapi hub',
  async start(folder) {
    const home = join(folder, 'hapi')
    mkdirSync(home, { recursive: true })
    const port = await findFreePort()
    const server = await startServer({
      command: [hapi, 'hub'],
      env: {
        HOME: home,
        HAPI_HOME: join(home, '.hapi'),
        CLI_API_TOKEN: cliToken,
        HAPI_LISTEN_HOST: '127.0.0.1',
        HAPI_LISTEN_PORT: String(port),
      },
      cwd: home,
      port,
    })
    return {
      ...server,
      async meet() {
        const { token: ticket } = await ask({
          port,
          method: 'POST',
          path: '/api/auth',
          body: { accessToken: cliToken },
        })
        const { session } = await ask({
          port,
          method: 'POST',
          path: '/cli/sessions',
          headers: { authorization: `Bearer ${cliToken}` },
          body: { tag: 'bench', metadata: { path: home, host: 'bench' } },
        })
        return {
          writer: { port, token: cliToken, session: session.id, peers },
          reader: { port, ticket },
        }
      },
    }
  },
}
