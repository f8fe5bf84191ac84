import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AcpFacts, TestkitPart } from '../../contract/testkit.ts'
import { atLeast } from '../../versions/version.ts'
import { computeHookHash } from './hooks-trust.ts'

const question = {
  questions: [
    {
      id: 'colour',
      header: 'Colour',
      question: 'Which colour?',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

/** It has a built-in Codex, so testing it beside one version of ours is enough. */
const deprecatedWrapper: AcpFacts = {
  wrapper: '@zed-industries/codex-acp',
  settings: '.codex/config.toml',
  authMethod: 'codex-api-key',
  commandMode: 'full-access',
  // Only `data.message` of its errors has the reason of a failed turn.
  cannot: ['usage', 'always', 'fork', 'go on after a refusal'],
}

export const testkit: TestkitPart = {
  home: {
    files: ({ cwd, url }) => ({
      '.codex/config.toml': `model = "scripted-model"
model_provider = "scripted"
[model_providers.scripted]
name = "Scripted"
base_url = ${JSON.stringify(`${url}/v1`)}
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
# Both switches together take five seconds off every exit.
[analytics]
enabled = false
[features]
plugins = false
# The daemon outlives its terminal and copies 436 MB into every home.
daemon_auto_start = false
[projects.${JSON.stringify(cwd)}]
trust_level = "trusted"
`,
    }),
    env: () => ({ SCRIPTED_API_KEY: 'scripted' }),
    // The workspace is no git repository, and the trust of the configuration is not enough for `exec`.
    headless: { skipTrust: true },
    // Codex silently skips hooks that the user has not reviewed.
    hookArguments: ['--dangerously-bypass-hook-trust'],
    trustHooks: async ({ home }) => ({
      '.codex/config.toml': await getTrustSettings(join(home, '.codex', 'hooks.json')),
    }),
  },
  screen: { idle: /^›/m, busy: /esc to interrupt/, asking: /Would you like to|› 1\. Yes/ },
  suites: (version) => ({
    writeTool: 'exec_command',
    helps: [['exec'], [], ['resume']],
    headless: { cannot: ['stream text', 'report a denial'], denialMode: 'plan' },
    acp: [
      {
        wrapper: '@agentclientprotocol/codex-acp',
        settings: '.codex/config.toml',
        authMethod: 'api-key',
        always: 'file',
        cannot: ['go on after a refusal'],
        // The sandbox of the other modes is not available on every machine.
        commandMode: 'agent-full-access',
      },
      ...(atLeast(version, '0.169.0') ? [] : [deprecatedWrapper]),
    ],
    hooks: 'own',
    transcripts: { cannot: [] },
    joined: { cannot: [] },
    terminal: {
      // The sandbox allows `touch`. Codex asks only for commands outside of the sandbox.
      run: (command) =>
        `CALL: exec_command ${JSON.stringify({ cmd: command, sandbox_permissions: 'require_escalated', justification: 'May I?' })}`,
      question: `CALL: request_user_input ${JSON.stringify(question)}`,
      questionMode: 'plan',
      rules: '.codex/rules/default.rules',
      modes: ['plan', 'bypassPermissions', 'default'],
      model: { id: 'gpt-6-astra', shown: /gpt-6-astra/ },
      missingModel: 'no-such-model',
      cannot: [],
    },
  }),
}

/** The settings that Codex's terminal writes when the user trusts all hooks of a file. */
async function getTrustSettings(file: string): Promise<string> {
  type Handler = Record<string, unknown>
  const { hooks } = JSON.parse(await readFile(file, 'utf8')) as {
    hooks: Record<string, { hooks: Handler[] }[]>
  }
  return Object.entries(hooks)
    .flatMap(([event, groups]) =>
      groups.map(({ hooks: [handler] }, index) => {
        const name = event.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase()
        const key = JSON.stringify(`${file}:${name}:${index}:0`)
        return `\n[hooks.state.${key}]\ntrusted_hash = "${computeHookHash(event, handler!)}"\n`
      }),
    )
    .join('')
}
