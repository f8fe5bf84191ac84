import type { AcpFacts, TestkitPart } from '../../contract/testkit.ts'
import { atLeast } from '../../versions/version.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

/** It is tested with the Claude of its time. */
const deprecatedWrapper: AcpFacts = {
  wrapper: '@zed-industries/claude-code-acp',
  settings: '.claude/settings.json',
  authMethod: 'claude-login',
  cannot: ['usage', 'go on after a refusal'],
}

/** Since this version Claude starts in auto mode unless the settings name another one, and then offers it once. */
const startsInAuto = (version: string) => atLeast(version, '2.1.283')

export const testkit: TestkitPart = {
  home: {
    files: ({ cwd }) => ({
      // An empty home makes the terminal interface ask a host on the internet before it starts.
      '.claude.json': {
        hasCompletedOnboarding: true,
        projects: { [cwd]: { hasTrustDialogAccepted: true } },
      },
    }),
    terminal: ({ version }): Record<string, object> =>
      startsInAuto(version)
        ? {
            '.claude/settings.json': { permissions: { defaultMode: 'default' } },
            '.claude.json': { hasSeenAutoDefaultNudge: true },
          }
        : {},
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      DISABLE_AUTOUPDATER: '1',
      // As root it refuses to bypass permissions without it.
      IS_SANDBOX: '1',
    }),
  },
  screen: { idle: /^\s*❯/m, busy: /esc to interrupt/, asking: /Do you want to [^?]*\?/ },
  suites: (version) => ({
    writeTool: 'Write',
    headless: { cannot: [] },
    acp: [
      {
        wrapper: '@agentclientprotocol/claude-agent-acp',
        settings: '.claude/settings.json',
        always: 'edit',
        cannot: [],
      },
      ...(startsInAuto(version) ? [] : [deprecatedWrapper]),
    ],
    hooks: {
      event: 'PreToolUse',
      reported: [
        'SessionStart',
        'SessionEnd',
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUseFailure',
        'Stop',
      ],
      cannot: ['comments'],
    },
    transcripts: { cannot: [] },
    joined: { cannot: [] },
    terminal: {
      run: (command) => `RUN: ${command}`,
      // For `touch` newer versions offer access to the folder, and ask again for each new file.
      ...(startsInAuto(version) ? { always: 'install -m 600 /dev/null always.txt' } : {}),
      question: `CALL: AskUserQuestion ${JSON.stringify(question)}`,
      modes: ['acceptEdits', 'plan', 'default'],
      unreachable: 'bypassPermissions',
      model: { id: 'sonnet', shown: /Sonnet/ },
      cannot: [],
    },
  }),
}
