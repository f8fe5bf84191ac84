import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeInto } from '../home.ts'
import type { Home } from '../home.ts'
import type { FailingSession, Provocation } from './failures-provocations.ts'

/**
 * Adds to a home what some failures need: a server whose tools fail, rules and hooks that forbid, short patience.
 *
 * @returns the arguments that make the CLI use them
 * @example const extraArgs = await equipHome(home, session)
 */
export async function equipHome(
  home: Home,
  { guarded, provocations }: FailingSession,
): Promise<readonly string[]> {
  const server = { command: process.execPath, args: [join(home.cwd, 'desk.mjs')] }
  const refusal = JSON.stringify(refusals[home.agent === 'gemini' ? 'gemini' : 'others'])
  const hook = { type: 'command', command: `sh ${join(home.cwd, 'forbid.sh')} '${refusal}'` }
  switch (home.agent) {
    case 'gemini':
      await mergeJson(join(home.path, '.gemini/settings.json'), {
        mcpServers: { desk: { ...server, trust: true } },
        // Seconds. Slow commands that are to fail for another reason must not meet it.
        ...(provocations.some(waits) ? { tools: { shell: { inactivityTimeout: 2 } } } : {}),
        ...(guarded ? { hooks: { BeforeTool: [{ matcher: '.*', hooks: [hook] }] } } : {}),
      })
      if (guarded) await writeInto(home.path, '.gemini/policies/rules.toml', policy)
      return []
    case 'claude': {
      await writeInto(
        home.path,
        '.claude/settings.json',
        JSON.stringify({
          permissions: {
            allow: ['Bash(echo:*)'],
            deny: ['Bash(git push:*)', 'Read(./.env)'],
          },
          ...(guarded ? { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } } : {}),
        }),
      )
      return ['--mcp-config', JSON.stringify({ mcpServers: { desk: server } })]
    }
    case 'codex': {
      const file = join(home.path, '.codex/config.toml')
      const table = `[mcp_servers.desk]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`
      await writeFile(file, `${await readFile(file, 'utf8')}${table}`)
      if (!guarded) return []
      const hooks = { PreToolUse: [{ hooks: [hook] }] }
      await writeInto(home.path, '.codex/hooks.json', JSON.stringify({ hooks }))
      return home.hookArguments
    }
    default:
      await mergeJson(join(home.path, '.config/opencode/opencode.json'), {
        mcp: { desk: { type: 'local', command: [server.command, ...server.args], enabled: true } },
        permission: { edit: 'ask', bash: { '*': 'ask', 'git push *': 'deny' } },
      })
      return []
  }
}

/** Whether it is the CLI itself that has to lose its patience. */
function waits({ expected, call }: Provocation): boolean {
  return expected === 'timeout' && 'native' in call
}

const reason = 'The team does not allow refused-thing here'

/** How a hook says no. */
const refusals = {
  gemini: { decision: 'deny', reason },
  others: {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  },
}

const policy = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 999
`

async function mergeJson(file: string, more: object): Promise<void> {
  const before = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, `${JSON.stringify({ ...before, ...more }, null, 2)}\n`)
}
