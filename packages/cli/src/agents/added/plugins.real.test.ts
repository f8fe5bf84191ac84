import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AgentInfo } from '@remora/protocol/api'
import { startScriptedModel } from '@remora/scripted-model'
import { createServerClient } from '@remora/server/client'
import { expect, it, onTestFinished } from 'vitest'
import { createHome, pinned, repository } from '../../../../../testkit/src/index.ts'
import type { Finding } from '../../detection/survey.ts'

const { path: claude, version } = pinned('claude')
const brand = { hue: { light: '#a0501e', dark: '#ffb98a' }, icon: { path: 'M12 3l9 9-9 9-9-9z', stroke: 2 } }

/** A home, a state folder and a folder for packages, all outside the repository. */
async function stage() {
  const model = await startScriptedModel()
  const home = await createHome('claude', { model, version })
  // The path of a socket has to be short.
  const state = await mkdtemp('/tmp/rl-')
  const packages = await mkdtemp('/tmp/rl-packages-')
  const start = (words: readonly string[]) =>
    spawn(process.execPath, [join(repository, 'packages/cli/bin/remora.mjs'), ...words], {
      env: { ...home.env, MY_CLAUDE_CLI_PATH: claude, REMORA_HOME: state, REMORA_PORT: '0' },
      cwd: home.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const remora = async (...words: string[]) => {
    const child = start(words)
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code: code as number, out, err }
  }
  onTestFinished(async () => {
    await remora('stop')
    await home.remove()
    await model.close()
    for (const folder of [state, packages])
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }, 120_000)
  /** Starts a server and lists its agents, as the app does. */
  const listServed = async (): Promise<AgentInfo[]> => {
    const child = start(['serve'])
    const closed = once(child, 'close')
    const stderr = text(child.stderr)
    await once(child.stdout, 'data')
    child.stdout.resume()
    try {
      const client = createServerClient({ remoraHome: state, timeoutMs: 60_000 })
      const { agents } = await client.request<{ agents: AgentInfo[] }>('GET', '/api/agents')
      return agents
    } catch (error) {
      throw new Error(await stderr, { cause: error })
    } finally {
      await remora('stop')
      await closed
    }
  }
  return { home, state, packages, remora, listServed }
}

/** A plugin that runs Claude Code by the contract and the dialect that plugins get, and nothing else. */
async function writePlugin(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const manifest = {
    name: 'remora-agent-my-claude',
    version: '1.2.3',
    type: 'module',
    exports: './index.js',
    remora: { contract: 1 },
    peerDependencies: { '@remora/sdk': '*' },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(
    join(folder, 'index.js'),
    `import { createClaudeStreamReader, defineAgent, defineTools, mapCall } from '@remora/sdk/agent'

const tools = defineTools({ Bash: {}, Read: {}, Write: {}, Edit: {} })
export default defineAgent({
  id: 'my-claude',
  title: 'My Claude',
  brand: ${JSON.stringify(brand)},
  detection: {
    variable: 'MY_CLAUDE_CLI_PATH',
    command: 'my-claude',
    package: '@anthropic-ai/claude-code',
    install: 'npm install -g @anthropic-ai/claude-code',
  },
  features: () => ({
    interrupt: true, resume: true, fork: false, attach: false, statusLine: false,
    images: false, streaming: true, webSearch: false, thinking: true, slashCommands: false, models: [], effortLevels: [],
  }),
  headless: {
    invocation: ({ prompt, resume }) => ({
      args: ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages',
        ...(resume === undefined ? [] : ['--resume', resume])],
      stdin: prompt,
    }),
    reader: createClaudeStreamReader({
      title: 'My Claude',
      toClaude: (name, input) => mapCall(tools, name, input),
      toToolStatus: (isError) => (isError ? 'error' : 'success'),
      versionField: 'claude_code_version',
      toMode: ({ permissionMode }) => permissionMode,
    }),
  },
  tools,
})
`,
  )
}

it('runs a plugin from a folder, until its files change', async () => {
  const { home, state, packages, remora, listServed } = await stage()
  const folder = join(packages, 'my-claude')
  await writePlugin(folder)
  // Files of the project enable nothing.
  await writeFile(join(home.cwd, 'agents.json'), JSON.stringify({ agents: [folder] }))
  expect(await remora('run', 'my-claude', 'Hello')).toMatchObject({ code: 2 })

  // Without a terminal the user cannot agree.
  expect(await remora('agents', 'add', folder)).toMatchObject({ code: 2 })
  const added = await remora('agents', 'add', folder, '--yes')
  expect(added).toMatchObject({
    code: 0,
    out: expect.stringContaining('Added my-claude: My Claude') as string,
  })
  expect(added.err).toContain('remora-agent-my-claude 1.2.3')

  const listed = await remora('agents', 'my-claude', '--json')
  expect((JSON.parse(listed.out) as Finding[])[0]).toMatchObject({
    id: 'my-claude',
    installed: true,
    version,
    channels: ['headless'],
    problems: [],
    added: { kind: 'plugin', version: '1.2.3', source: folder },
  })

  const run = await remora('run', 'my-claude', 'SAY: Good morning', '--json')
  expect(run).toMatchObject({ code: 0 })
  const events = run.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; agent: string; session: string })
  expect(events[0]).toMatchObject({ type: 'session', agent: 'my-claude', version })
  expect(events.at(-1)).toMatchObject({ type: 'done', ok: true })
  const { session } = events[0]!
  expect((await remora('show', session, '--agent', 'my-claude')).out).toContain('Good morning')
  const resumed = await remora('run', 'my-claude', 'SAY: And good night', '--resume', session, '--quiet')
  expect(resumed).toMatchObject({ code: 0, out: 'And good night\n' })

  const served = await listServed()
  expect(served.find(({ id }) => id === 'my-claude')).toMatchObject({ brand, installed: true, version })

  const { agents } = JSON.parse(await readFile(join(state, 'agents.json'), 'utf8')) as {
    agents: { folder: string }[]
  }
  const installed = join(state, agents[0]!.folder, 'node_modules/remora-agent-my-claude/index.js')
  const proof = join(packages, 'proof')
  await appendFile(
    installed,
    `\nimport { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(proof)}, '')\n`,
  )
  expect(await remora('run', 'my-claude', 'Hello')).toMatchObject({
    code: 2,
    err: expect.stringContaining('remora agents trust my-claude') as string,
  })
  const changed = (await listServed()).find(({ id }) => id === 'my-claude')
  expect(changed).toMatchObject({ installed: false, problems: [{ code: 'plugin_changed' }] })
  await expect(readFile(proof)).rejects.toThrow('ENOENT')
  // It asks again, and cannot without a terminal.
  expect(await remora('agents', 'trust', 'my-claude')).toMatchObject({ code: 2 })

  expect(await remora('agents', 'remove', 'my-claude')).toMatchObject({ code: 0 })
  expect((await listServed()).map(({ id }) => id)).not.toContain('my-claude')
  const left = JSON.parse((await remora('sessions', '--json')).out) as object[]
  expect(left).toContainEqual(expect.objectContaining({ agent: 'my-claude', id: session }))
}, 600_000)

it('writes a package that passes its own checks, and can be added at once', async () => {
  const { packages, remora } = await stage()
  const folder = join(packages, 'remora-agent-my-cli')
  expect(await remora('agents', 'scaffold', 'my-cli', folder)).toMatchObject({ code: 0 })
  expect(await remora('agents', 'scaffold', 'my-cli', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty') as string,
  })
  expect(await remora('agents', 'scaffold', 'gemini', `${folder}-2`)).toMatchObject({ code: 2 })
  // In place of what `npm install` would install.
  await mkdir(join(folder, 'node_modules/@remora'), { recursive: true })
  await symlink(join(repository, 'packages/sdk'), join(folder, 'node_modules/@remora/sdk'))
  const test = spawn(process.execPath, ['--test'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [report, [code]] = await Promise.all([text(test.stdout), once(test, 'close')])
  expect(code, report).toBe(0)
  expect(report).toContain('# pass 2')

  expect(await remora('agents', 'add', folder, '--yes')).toMatchObject({ code: 0 })
  const { out } = await remora('agents', 'my-cli', '--json')
  expect(JSON.parse(out)).toMatchObject([
    { title: 'My cli', channels: ['transcripts', 'headless'], problems: [{ code: 'agent_missing' }] },
  ])
}, 300_000)
