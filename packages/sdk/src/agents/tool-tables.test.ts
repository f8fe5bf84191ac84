import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTools } from '../contract/tools.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { guardPlan, runVariables } from './opencode/run-variables.ts'
import { gemini } from './gemini/index.ts'
import { kiro } from './kiro/index.ts'
import { opencode } from './opencode/index.ts'
import { startMode } from './opencode/start-mode.ts'

const place = { env: {}, home: '/home/nobody', cwd: '/home/nobody' }
const allow = (...tools: string[]) => Object.fromEntries(tools.map((tool) => [tool, 'allow']))
const parsePlan = (env: Readonly<Record<string, string>>): unknown =>
  (JSON.parse(env['OPENCODE_CONFIG_CONTENT']!) as { agent: { plan: { permission: unknown } } }).agent.plan
    .permission

describe('the tool table', () => {
  it('of Gemini names the tools that plan mode denies, and those it asks about', () => {
    expect(listTools(gemini.tools, ({ readOnly }) => !readOnly).toSorted()).toEqual([
      'exit_plan_mode',
      'replace',
      'run_shell_command',
      'save_memory',
      'write_file',
    ])
  })

  it('of OpenCode gives the rules of plan mode and of the asking mode', async () => {
    const files = ['read', 'glob', 'grep', 'list', 'lsp', 'todowrite', 'todoread', 'skill']
    const plan = { '*': 'deny', ...allow(...files, 'webfetch', 'websearch', 'codesearch') }
    expect(parsePlan(runVariables({ prompt: '', mode: 'plan' }, {}))).toEqual(plan)
    const guard = await guardPlan(place)
    expect(parsePlan(guard.env!)).toEqual({ ...plan, bash: 'ask', plan_exit: 'ask' })
    const { env } = await startMode(place, 'default')
    expect(JSON.parse(env!['OPENCODE_PERMISSION']!)).toEqual({
      '*': 'ask',
      ...allow(...files, 'question', 'task'),
      edit: 'ask',
    })
  })

  it('of Claude names the tools that write', () => {
    const writes = listTools(claude.tools, ({ kind }) => kind === 'edit' || kind === 'execute')
    expect(writes).toEqual(['Bash', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit'])
  })

  it('lists the tools that the model can call in every version', () => {
    expect(listTools(codex.tools)).toEqual([
      'exec_command',
      'write_stdin',
      'shell',
      'apply_patch',
      'update_plan',
      'view_image',
      'web_search',
      'spawn_agent',
      'request_user_input',
    ])
    expect(listTools(kiro.tools)).not.toContain('shell')
    expect(listTools(gemini.tools)).not.toContain('search_file_content')
    expect(listTools(opencode.tools)).not.toContain('multiedit')
  })
})

it('is the only place in the sources that names the tools of an agent', () => {
  // Short names such as `read` mean other things elsewhere, and these also name decisions and records.
  const others = new Set(['ask_user', 'local_shell', 'todo_list', 'web_search'])
  const names = [gemini, codex, kiro].flatMap(({ tools }) =>
    listTools(tools, ({ reported }) => !reported).filter((name) => name.includes('_') && !others.has(name)),
  )
  const pattern = new RegExp(`(?<!@example.*)'(?:${names.join('|')})'`)
  const root = join(import.meta.dirname, '..')
  // The testkit says what the scripted model calls.
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test(?:-data)?\.ts$|[\\/](?:tools|testkit)\.ts$/.test(file),
  )
  const found = sources.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
  expect(found).toEqual([])
})
