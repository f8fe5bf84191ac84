import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Scenario } from '@remora/scripted-model'
import { listTestVersions } from '@remora/testkit'
import { describe, expect, it, vi } from 'vitest'
import { acpClient } from './acp-client.test-data.ts'
import { acp } from './acp.ts'
import { lab } from './lab.test-data.ts'

const work: Scenario = {
  name: 'work',
  title: 'A command and a file',
  prompt: 'Work.',
  mode: 'bypassPermissions',
  turns: [
    [
      {
        tools: [
          { name: 'Bash', input: { command: 'echo shell-out; exit 3', description: 'Prints a word' } },
          { name: 'Read', input: { file_path: 'in.txt' } },
        ],
      },
      { text: 'First.' },
    ],
    [{ text: 'Second.' }],
  ],
}

const hello = { protocolVersion: 1, clientCapabilities: {} }
const prompt = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: 'text', text }] })

describe.each(listTestVersions('gemini', { since: '0.34.0' }))('a session of %s over ACP', (version) => {
  it('writes outputs to its file at once, and a copy can be loaded at once', async () => {
    await using stage = await lab(version, work)
    const { cwd } = stage.home
    await writeFile(join(cwd, 'in.txt'), 'the text of the file\n')
    const place = { env: stage.env, home: stage.home.path, cwd, version }
    const { args } = acp.invocation(version, { mode: 'bypassPermissions' })

    let session: string
    {
      await using client = acpClient(stage, args)
      await client.call('initialize', hello)
      const opened = await client.call('session/new', { cwd, mcpServers: [] })
      session = (opened as { sessionId: string }).sessionId
      await client.call('session/prompt', prompt(session, work.prompt))
      const calls = client.updates.flatMap(({ sessionUpdate, toolCallId }) =>
        sessionUpdate === 'tool_call' ? [toolCallId as string] : [],
      )
      expect(calls).toHaveLength(2)
      const outputs = await acp.outputs!(place, session, calls)
      expect(outputs.get(calls[0]!)).toEqual({
        content: expect.stringMatching(/Output: shell-out\nExit Code: 3/) as string,
        status: 'error',
      })
      expect(outputs.get(calls[1]!)?.content).toContain('the text of the file')
    }

    const fork = (await acp.fork!(place, session))!
    expect(fork.id).not.toBe(session)
    await using client = acpClient(stage, args)
    await client.call('initialize', hello)
    await client.call('session/load', { sessionId: fork.id, cwd, mcpServers: [] })
    await client.call('session/prompt', prompt(fork.id, 'Go on.'))
    const { contents } = stage.turn()!.body as { contents: unknown }
    expect(JSON.stringify(contents)).toMatch(/Work\..*shell-out.*First\..*Go on\./s)
  })
})

describe('a folder that is not trusted', () => {
  it('makes the newest version ignore MCP servers, as acpObstacles reports', async () => {
    await using stage = await lab('0.61.0', work)
    const strange = join(stage.home.path, 'strange')
    await mkdir(strange)
    const asked: (string | undefined)[] = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await using client = acpClient(stage)
      await client.call('initialize', hello)
      for (const [cwd, path] of [
        [strange, '/strange'],
        [stage.home.cwd, '/trusted'],
      ] as const) {
        const mcpServers = [{ type: 'http', name: 'remora', url: `${url}${path}`, headers: [] }]
        await client.call('session/new', { cwd, mcpServers })
      }
      await vi.waitFor(() => expect(asked).toContain('/trusted'), { timeout: 60_000 })
      expect(asked).not.toContain('/strange')
    } finally {
      server.close()
    }
    const obstacles = (cwd: string) =>
      acp.obstacles!({ env: stage.env, home: stage.home.path, cwd, version: '0.61.0' })
    expect(await obstacles(strange)).toMatchObject([{ code: 'untrusted' }])
    expect(await obstacles(stage.home.cwd)).toEqual([])
  })
})
