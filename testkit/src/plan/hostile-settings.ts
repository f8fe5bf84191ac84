import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Home, writeInto } from '../home.ts'
import type { PlanCell } from './cell.ts'

/**
 * The settings of a user who allows everything: plan mode must be read-only for this user too. Rules of Codex that allow
 * commands are left out where `codex exec` is not used: plan mode is refused with them (see plan-obstacle.test.ts).
 */
export async function allowEverything(home: Home, channel: PlanCell['channel']): Promise<void> {
  const path = (name: string) => join(home.path, name)
  const change = async (name: string, edit: (settings: Record<string, unknown>) => object) => {
    const text = await readFile(path(name), 'utf8').catch(() => '{}')
    await writeInto(
      home.path,
      name,
      JSON.stringify(edit(JSON.parse(text) as Record<string, unknown>), null, 2),
    )
  }
  switch (home.agent) {
    case 'claude':
      await change('.claude/settings.json', () => ({
        permissions: { allow: ['Bash', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'ExitPlanMode'] },
      }))
      return
    case 'codex': {
      const config = await readFile(path('.codex/config.toml'), 'utf8')
      await writeFile(
        path('.codex/config.toml'),
        `approval_policy = "never"\nsandbox_mode = "danger-full-access"\n${config}`,
      )
      if (channel !== 'headless') return
      const rule = (program: string) => `prefix_rule(pattern=["${program}"], decision="allow")\n`
      await writeInto(home.path, '.codex/rules/default.rules', ['touch', 'bash'].map(rule).join(''))
      return
    }
    case 'gemini':
      await change('.gemini/settings.json', (settings) => ({
        ...settings,
        tools: { allowed: ['run_shell_command', 'write_file', 'replace', 'exit_plan_mode'] },
      }))
      await writeInto(
        home.path,
        '.gemini/policies/mine.toml',
        '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\nmodes = ["plan", "default"]\n',
      )
      return
    case 'opencode':
      await change('.config/opencode/opencode.json', (settings) => ({
        ...settings,
        permission: { '*': 'allow', edit: 'allow', bash: 'allow', plan_exit: 'allow' },
        agent: { plan: { permission: { edit: 'allow', bash: 'allow' } } },
      }))
      return
    case 'qwen':
      // With rules for other tools plan mode is refused.
      await change('.qwen/settings.json', (settings) => ({
        ...settings,
        tools: { approvalMode: 'yolo', autoAccept: true },
        permissions: { allow: ['Bash', 'run_shell_command', 'Read', 'WebFetch'] },
      }))
      return
    default:
  }
}
