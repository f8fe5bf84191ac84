import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol'
import { startScriptedModel } from '@remora/scripted-model'
import { findAgent, spawnTree } from '@remora/sdk'
import { pinnedPackage } from '../clis.ts'
import { createHome } from '../home.ts'
import { createAcpClient } from './acp-client.ts'
import { provoking } from './provoking.ts'
import { stabiliserFor } from './recording.ts'
import type { Files, Stage } from './recording.ts'
import { listSessions } from './sessions.ts'

/** Runs the first turn of a scenario over ACP: the wire both ways, and the session file that it leaves. @example await recordAcp(stage) */
export async function recordAcp({ cli, scenario, signal }: Stage): Promise<Files> {
  const agent = findAgent(cli.agent)
  const part = agent?.acp
  if (!part) return new Map()
  // The wrapper that every supported Node runs, so that recordings can be repeated anywhere.
  const wrapper = part.wrappers?.at(-1)
  await using model = await startScriptedModel({ scenario: provoking(cli.agent, scenario) })
  await using home = await createHome(cli.agent, { version: cli.version, model })
  const place = { env: home.env, home: home.path, cwd: home.cwd, version: cli.version }
  const mode = (await agent.startMode?.(place))?.request
  const invocation = { ...part, ...wrapper?.part }.invocation(cli.version, mode ? { mode } : {})

  const tree = await spawnTree({
    command: wrapper ? pinnedPackage(wrapper.package).path : cli.path,
    args: invocation.args,
    cwd: home.cwd,
    // Without it Claude's wrapper starts a Claude of its own, an older one.
    env: { ...home.env, ...invocation.env, CLAUDE_CODE_EXECUTABLE: cli.path },
    stdin: 'pipe',
  })
  const stop = () => void tree.kill()
  signal.addEventListener('abort', stop, { once: true })
  // Read to its end, or a full pipe would stop the CLI.
  void text(tree.stderr)
  try {
    if (!tree.stdin) throw new RemoraError('crashed', `${cli.agent} has no stdin`)
    const client = createAcpClient(tree.stdin, tree.stdout)
    await client.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
    const session = (await client.request('session/new', { cwd: home.cwd, mcpServers: [] })) as {
      sessionId: string
    }
    // The list of commands comes a moment after the answer; a prompt at once would mix the two.
    await sleep(500)
    const prompt = [{ type: 'text', text: scenario.prompt }]
    await client.request('session/prompt', { sessionId: session.sessionId, prompt })
    await sleep(300)
    await tree.kill()

    const stable = stabiliserFor(home, model.port)
    const files = new Map([
      ['acp.jsonl', stable.jsonLines(client.wire.map((record) => `${JSON.stringify(record)}\n`).join(''))],
    ])
    // Gemini may leave a file for its own start beside that of the session.
    const sessions = (await listSessions(home, cli)).toSorted(
      (one, other) =>
        Number(other.content.includes(session.sessionId)) - Number(one.content.includes(session.sessionId)),
    )
    for (const [index, { extension, content }] of sessions.entries()) {
      const stableText = extension === 'json' ? stable.json(content) : stable.jsonLines(content)
      files.set(
        index === 0 ? `acp-session.${extension}` : `acp-session-${index + 1}.${extension}`,
        stableText,
      )
    }
    return files
  } finally {
    signal.removeEventListener('abort', stop)
    await tree.kill()
  }
}
