import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startScriptedModel } from '@remora/scripted-model'
import { findAgent, installHooks, scanSpool } from '@remora/sdk/hooks'
import { createHome, type Home } from '../home.ts'
import { launch, type Launched } from '../launch.ts'
import { type Files, stabiliserFor, type Stage } from './recording.ts'
import { listSessions } from './sessions.ts'

/** Runs every turn of a scenario headless: stream, session files and hook payloads. @example await recordHeadless(stage) */
export async function recordHeadless({ cli, scenario, signal }: Stage): Promise<Files> {
  await using model = await startScriptedModel({ scenario })
  await using home = await createHome(cli.agent, { version: cli.version, model })
  const payloads = await installSpool(home)

  const runs: Launched[] = []
  for (const [index] of scenario.turns.entries()) {
    const resume = index === 0 ? undefined : sessionId(runs[0]?.lines ?? [])
    runs.push(
      await launch(cli.agent, {
        version: cli.version,
        home,
        model,
        scenario,
        signal,
        extraArgs: home.hookArguments,
        ...(index === 0 ? {} : { prompt: `Go on with turn ${index + 1}.` }),
        ...(resume === undefined ? {} : { resume }),
      }),
    )
  }

  const stable = stabiliserFor(home, model.port)
  const files = new Map<string, string>()
  for (const [index, run] of runs.entries()) {
    files.set(numbered('stream', index, 'jsonl'), stable.jsonLines(ended(run.lines)))
  }
  const sessions = await listSessions(home, cli)
  for (const [index, session] of sessions.entries()) {
    const { extension, content } = session
    const text = extension === 'json' ? stable.json(content) : stable.jsonLines(content)
    files.set(numbered('session', index, extension), text)
  }
  const told = await payloads()
  if (told.length > 0) files.set('hooks.jsonl', stable.jsonLines(ended(told)))
  const meta = {
    agent: cli.agent,
    version: cli.version,
    scenario: scenario.name,
    runs: runs.map((run) => ({
      command: run.command,
      code: run.code,
      stderr: run.stderr.split('\n').filter((line) => line.trim() !== ''),
    })),
    sessions: sessions.map((session) => session.path),
  }
  files.set('meta.json', `${JSON.stringify(stable.value(meta), null, 2)}\n`)
  return files
}

/** The id by which a session is taken up again, as the stream tells it. */
function sessionId(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const record = JSON.parse(line) as Record<string, string | undefined>
    const own = record['type'] === 'session' ? record['id'] : undefined
    const id =
      record['session_id'] ?? record['thread_id'] ?? record['sessionID'] ?? record['sessionId'] ?? own
    if (id !== undefined) return id
  }
  return undefined
}

function numbered(name: string, index: number, extension: string): string {
  return index === 0 ? `${name}.${extension}` : `${name}-${index + 1}.${extension}`
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * Installs the hooks of Remora for every event, in a folder beside the home, and reads what they put into the spool.
 *
 * @example
 * const payloads = await installSpool(home)
 * // … run …
 * await payloads()
 */
async function installSpool(home: Home): Promise<() => Promise<string[]>> {
  const agent = findAgent(home.agent)
  if (!agent?.hooks) return async () => []
  const remoraHome = join(dirname(home.path), 'remora')
  await installHooks(agent, {
    place: { env: home.env, home: home.path, cwd: home.cwd, version: home.version },
    remoraHome,
    // Codex has a program for the end of a turn besides its hooks, which tells nothing else.
    events: agent.hooks.events.filter((event) => event !== 'notify'),
  })
  return async () => {
    const { entries } = scanSpool(remoraHome)
    const payloads = await Promise.all(entries.map(({ file }) => readFile(file, 'utf8')))
    // One line each; a hook that was stopped early leaves a torn one.
    return payloads.flatMap((payload) => {
      try {
        return [JSON.stringify(JSON.parse(payload))]
      } catch {
        return []
      }
    })
  }
}
