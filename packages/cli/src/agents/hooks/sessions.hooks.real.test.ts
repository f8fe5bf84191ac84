import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Scenario } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { describe, expect, it } from 'vitest'
import { type Home, launch, pinned } from '../../../../../testkit/src/index.ts'
import { openTerminal } from '../../../../../testkit/src/recorder/tmux.ts'
import { setStage } from './stage.test-data.ts'

/** What one agent's settings look like with somebody else's hook in them, which refuses one command. */
interface Owned {
  readonly settings: string
  readonly event: string
  readonly mode?: Scenario['mode']
  /** What a hook says to refuse a call. */
  readonly refusal: string
}

const owned: Readonly<Record<string, Owned>> = {
  gemini: {
    settings: '.gemini/settings.json',
    event: 'BeforeTool',
    mode: 'bypassPermissions',
    refusal: '{"decision":"deny","reason":"Not here."}',
  },
  claude: {
    settings: '.claude/settings.json',
    event: 'PreToolUse',
    // By default it runs what only reads, and refuses the rest where nobody can be asked. Of a hook's refusal its
    // files tell nothing but the hook's own words.
    refusal: '{}',
  },
  codex: {
    settings: '.codex/hooks.json',
    event: 'PreToolUse',
    mode: 'bypassPermissions',
    refusal:
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Not here."}}',
  },
}

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'Runs' } })

/** One after the other: one that works, one that fails, one that is refused; and then two at once. */
const scenario: Scenario = {
  name: 'hooked',
  title: 'Calls that end in every way',
  prompt: 'Go.',
  turns: [
    [
      { tools: [bash('echo fine')] },
      { tools: [bash('ls missing-folder')] },
      { tools: [bash('touch forbidden')] },
      { tools: [bash('echo left'), bash('echo right')] },
      { text: 'Done.' },
    ],
  ],
}

interface Call {
  readonly tool: string
  readonly input: { readonly command?: string; readonly cmd?: string }
  readonly status: string
}

/** A home with settings of its own, and the command in it. */
async function stage(agent: string) {
  const { model, home, remora } = await setStage(agent, scenario)
  const calls = async () =>
    (JSON.parse(await remora('desires', 'export', '--type', 'invocations')) as Call[]).map(
      ({ tool, input, status }) => `${tool} ${input.command ?? input.cmd}: ${status}`,
    )
  return { model, home, remora, calls }
}

/** Somebody else's settings, with a comment where the CLI takes one, and a hook that keeps a diary. */
async function settle(home: Home, { settings, event, refusal }: Owned) {
  const file = join(home.path, settings)
  const hook = join(home.path, 'their hook.sh')
  await writeFile(
    hook,
    `#!/bin/sh\nread -r payload\necho ran >> "\${0%/*}/diary"\ncase $payload in *forbidden*) echo '${refusal}';; *) echo '{}';; esac\n`,
  )
  await chmod(hook, 0o755)
  const before = await readFile(file, 'utf8').catch(() => '{}')
  const { general, ...rest } = JSON.parse(before) as { general?: object }
  // Gemini CLI gives these their new names as soon as it starts, and then the file is no longer as it was.
  const { disableAutoUpdate: _, disableUpdateNag: __, ...named } = { ...general } as Record<string, unknown>
  const theirs = {
    ...rest,
    ...(general ? { general: named } : {}),
    hooks: { [event]: [{ hooks: [{ type: 'command', command: `'${hook}'` }] }] },
  }
  const comment = settings.startsWith('.gemini') ? '// mine\n' : ''
  const text = `${comment}${JSON.stringify(theirs, null, 3)}\n`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return {
    text,
    now: () => readFile(file, 'utf8'),
    ran: async () =>
      (await readFile(join(home.path, 'diary'), 'utf8').catch(() => '')).split('\n').length - 1,
  }
}

describe('a session with hooks', () => {
  it.each(['gemini', 'claude', 'codex'])(
    'of %s: every call once, and the settings as they were',
    async (agent) => {
      const { model, home, remora, calls } = await stage(agent)
      const theirs = await settle(home, owned[agent]!)
      await remora('hooks', 'install', agent)
      expect(await theirs.now()).not.toBe(theirs.text)
      const installed = await theirs.now()
      await remora('hooks', 'install', agent)
      expect(await theirs.now()).toBe(installed)
      await using run = await launch(agent, {
        home,
        model,
        scenario: { ...scenario, ...(owned[agent]!.mode ? { mode: owned[agent]!.mode } : {}) },
        extraArgs: home.hookArguments,
      })
      expect(run.stderr).not.toMatch(/hook.*(?:fail|error)|remora/i)
      expect(await theirs.ran()).toBe(5)
      const rows = [
        'Bash echo fine: success',
        'Bash ls missing-folder: error',
        'Bash touch forbidden: denied',
        'Bash echo left: success',
        'Bash echo right: success',
      ]
      expect((await calls()).toSorted()).toEqual(rows.toSorted())
      await remora('hooks', 'uninstall', agent)
      expect(await theirs.now()).toBe(theirs.text)
    },
  )

  it('in the terminal of Gemini: allowed, failed, two at once, and refused by a person', async () => {
    const { home, model, remora, calls } = await stage('gemini')
    // Nothing that the CLI takes for harmless: all of these are asked about.
    const commands = ['touch fine', 'rm missing-file', 'touch left', 'touch right', 'touch refused']
    const [fine, fails, left, right, refused] = commands.map(bash)
    const steps = [[fine!], [fails!], [left!, right!], [refused!]].map((tools) => ({ tools }))
    model.use({ ...scenario, turns: [[...steps, { text: 'Done.' }]] })
    const theirs = await settle(home, owned['gemini']!)
    await remora('hooks', 'install', 'gemini')
    const cli = pinned('gemini')
    const { args, env } = findAgent('gemini')!.terminal!.invocation({}, cli.version)
    await using pane = await openTerminal([process.execPath, cli.path, ...args], {
      cwd: home.cwd,
      env: { ...home.env, ...env },
    })
    await pane.until('idle', ({ text }) => text.includes('Type your message'))
    await pane.type('Go.')
    for (const command of commands) {
      const asked = new RegExp(`Shell +${command}[^]*Allow execution`)
      await pane.until(`asking about ${command}`, ({ text }) => asked.test(text))
      if (command !== 'touch refused') await pane.key('Enter')
    }
    // Its hook, a process, may tell of the question a moment after the screen does.
    await expect.poll(() => remora('show', 'latest')).toMatch(/^Waiting for you since /m)
    await pane.key('Escape')
    await pane.until('idle', ({ text }) => /Request cancelled[^]*Type your message/.test(text))
    await expect
      .poll(calls)
      .toEqual([
        'Bash touch fine: success',
        'Bash rm missing-file: error',
        'Bash touch left: success',
        'Bash touch right: success',
        'Bash touch refused: denied',
      ])
    // No hook tells the end of a turn that was refused, and the CLI takes the refused call out of its memory.
    await expect.poll(() => remora('show', 'latest')).not.toMatch(/^(?:Waits|Working)/m)
    const shown = await remora('show', 'latest')
    for (const words of ['Go.', ...commands]) expect(shown).toContain(words)
    await remora('hooks', 'uninstall', 'gemini')
    expect(await theirs.now()).toBe(theirs.text)
    // To start an agent takes seconds of the processor's time, which a busy machine gives it in minutes.
  }, 300_000)
})
