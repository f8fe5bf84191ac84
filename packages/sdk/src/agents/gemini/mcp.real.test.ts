import { spawn } from 'node:child_process'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startScriptedModel } from '@remora/scripted-model'
import { listTestVersions, repository } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { type RunOptions, run } from '../../index.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { lab, oneTurn } from './lab.test-data.ts'
import { startHttpMcpServer, stdioMcpServer } from './mcp-server.test-data.ts'

const token = 'remora-test-token-7f3a$HOME'
const quiet = oneTurn({ text: 'Hello.' })
const echo = oneTurn({ tools: [{ native: 'mcp_lab_echo', input: { text: 'hello' } }] }, { text: 'Called.' })

async function addOwnExtension(extensions: string, name: string, url: string): Promise<void> {
  const config = { name, version: '1.0.0', mcpServers: { [`of-${name}`]: { httpUrl: url } } }
  await writeInto(extensions, `${name}/gemini-extension.json`, JSON.stringify(config))
}

describe.each(listTestVersions('gemini', { since: '0.34.0' }))(
  'MCP servers for one run of Gemini CLI %s',
  (version) => {
    it('work by stdio and http beside the user’s own, and leave no files', async () => {
      await using own = await startHttpMcpServer()
      await using server = await startHttpMcpServer()
      const tools = [
        { native: 'mcp_lab_echo', input: { text: 'hello' } },
        { native: 'mcp_pipe_tell', input: {} },
      ]
      await using place = await lab(version, oneTurn({ tools }, { text: 'Called.' }))
      const settingsFile = join(place.home.path, '.gemini', 'settings.json')
      const settings = JSON.parse(await readFile(settingsFile, 'utf8')) as object
      await writeFile(
        settingsFile,
        JSON.stringify({ ...settings, mcpServers: { mine: { httpUrl: own.url } } }),
      )
      await addOwnExtension(place.extensions, 'wanted', own.url)
      await addOwnExtension(place.extensions, 'unwanted', own.url)
      const enablement = '{ "unwanted": { "overrides": [ "!/*" ] } }\n'
      await writeInto(place.extensions, 'extension-enablement.json', enablement)
      await writeInto(place.home.path, 'pipe.cjs', stdioMcpServer)
      const before = await filesBelow(place.extensions)

      const current = place.start({
        mcpServers: {
          lab: { url: server.url, headers: { authorization: `Bearer ${token}` } },
          pipe: {
            command: process.execPath,
            args: [join(place.home.path, 'pipe.cjs'), 'a $HOME b'],
            env: { LAB_TOKEN: token },
          },
        },
      })
      const outputs: unknown[] = []
      for await (const event of current) if (event.type === 'tool_result') outputs.push(event.content)
      const result = await current.result

      expect(result.error).toBeUndefined()
      expect(outputs.join('\n')).toContain('http says hello')
      expect(outputs.join('\n')).toContain(`stdio says a $HOME b ${token}`)
      expect(server.headers.map((headers) => headers.authorization)).toContain(`Bearer ${token}`)
      expect(place.turn()?.tools).toEqual(
        expect.arrayContaining(['mcp_lab_echo', 'mcp_pipe_tell', 'mcp_mine_echo', 'mcp_of-wanted_echo']),
      )
      expect(place.turn()?.tools).not.toContain('mcp_of-unwanted_echo')
      // The session contains the servers' answers with the token. Our own files are gone.
      const holding = await place.holding('remora-test-token')
      expect(holding.filter((name) => !name.includes('/chats/'))).toEqual([])
      expect(await filesBelow(place.extensions)).toEqual(before)
      expect(await readFile(join(place.extensions, 'extension-enablement.json'), 'utf8')).toBe(enablement)
      expect(await filesBelow(place.home.cwd)).toEqual([])
      expect(await place.home.leftovers()).toEqual([])
    })
  },
)

describe('MCP servers for one run', () => {
  it('are invisible to other runs in the same folder', async () => {
    await using first = await startHttpMcpServer({ hold: true })
    await using second = await startHttpMcpServer({ hold: true })
    await using place = await lab('0.61.0', echo)
    const runs = [first, second].map(
      (server) => place.start({ mcpServers: { lab: { url: server.url } } }).result,
    )
    await Promise.all([first.firstCall, second.firstCall])
    expect(await readdir(place.extensions)).toHaveLength(3)

    await using others = await startScriptedModel({ scenario: quiet })
    const env = { ...place.env, GOOGLE_GEMINI_BASE_URL: others.url }
    const other = await run('gemini', { prompt: 'hi', cwd: place.home.cwd, env }).result
    expect(other.error).toBeUndefined()
    const tools = others.requests.findLast((request) => request.kind === 'turn')?.tools ?? []
    expect(tools).toContain('read_file')
    expect(tools.filter((tool) => tool.startsWith('mcp_'))).toEqual([])

    first.release()
    second.release()
    for (const result of await Promise.all(runs)) {
      expect(result.error).toBeUndefined()
      expect(JSON.stringify(result.messages)).toContain('http says hello')
    }
    expect(await readdir(place.extensions)).toEqual([])
  })

  it('are cleaned up by the next run when our process was killed', async () => {
    await using server = await startHttpMcpServer({ hold: true })
    await using place = await lab('0.61.0', echo)
    const program = join(place.home.path, 'program.mts')
    await writeFile(
      program,
      `import { run } from ${JSON.stringify(join(repository, 'packages/sdk/src/index.ts'))}
       const options = JSON.parse(process.argv[2])
       await run('gemini', options).result`,
    )
    const options: RunOptions = {
      prompt: echo.prompt,
      mode: 'bypassPermissions',
      cwd: place.home.cwd,
      env: place.env,
      mcpServers: { lab: { url: server.url, headers: { authorization: token } } },
    }
    const ours = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(options)], {
      cwd: repository,
      stdio: 'inherit',
    })
    await server.firstCall
    expect(await readdir(place.extensions)).toHaveLength(2)
    const gone = new Promise((resolve) => ours.once('exit', resolve))
    ours.kill('SIGKILL')
    await gone
    expect(await readdir(place.extensions)).toHaveLength(2)

    place.model.use(quiet)
    expect((await place.start({ prompt: 'hi' }).result).error).toBeUndefined()
    expect(await place.holding('remora-test-token')).toEqual([])
    expect(await readdir(place.extensions)).toEqual([])
  })

  it('are refused where the user has a server of the same name', async () => {
    await using place = await lab('0.61.0', echo)
    await mkdir(join(place.home.cwd, '.gemini'))
    const settings = '{ "mcpServers": { "lab": { "command": "true" } } }'
    await writeFile(join(place.home.cwd, '.gemini', 'settings.json'), settings)
    const { error } = await place.start({ mcpServers: { lab: { url: 'http://127.0.0.1:1' } } }).result
    expect(error).toMatchObject({ code: 'input', message: expect.stringContaining('"lab"') as string })
    expect(await readFile(join(place.home.cwd, '.gemini', 'settings.json'), 'utf8')).toBe(settings)
  })
})
