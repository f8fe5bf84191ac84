import type { AcpSkill, TestkitPart } from '../../contract/testkit.ts'
import { atLeast } from '../../versions/version.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      type: 'choice',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

/** Until 0.45 sessions are JSON files that are rewritten, and ACP has no usage. */
const isOld = (version: string) => !atLeast(version, '0.45.0')

function listAcpGaps(version: string): AcpSkill[] {
  if (!isOld(version)) return []
  // Only `data.error` of the errors of 0.27 has the reason of a failed turn.
  return atLeast(version, '0.34.0') ? ['usage'] : ['usage', 'modes', 'models', 'load']
}

export const testkit: TestkitPart = {
  home: {
    files: ({ cwd, version }) => ({
      // A variable gives trust as well, but 0.34 asks and does not know it.
      '.gemini/trustedFolders.json': { [cwd]: 'TRUST_FOLDER' },
      '.gemini/settings.json': {
        // Without it a base URL makes the CLI choose the auth kind `gateway` and give up.
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: {
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
          // The names that the two switches had before 0.29. Later versions rewrite the file without them.
          ...(atLeast(version, '0.29.0') ? {} : { disableAutoUpdate: true, disableUpdateNag: true }),
          sessionRetention: { enabled: false },
          // Ten attempts by default: minutes of silence for a fault.
          maxAttempts: 2,
        },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    }),
    // Before 0.45 the CLI crashes ("ioctl(2) failed, EBADF") when it resizes the terminal of a command that has just
    // ended, as happens on a busy machine. So its commands have no terminal.
    terminal: ({ version }): Record<string, object> =>
      isOld(version)
        ? { '.gemini/settings.json': { tools: { shell: { enableInteractiveShell: false } } } }
        : {},
    env: ({ url }) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
  },
  screen: { idle: /Type your message/, busy: /esc to cancel/, asking: /1\. (?:Yes, a|A)llow once/ },
  suites: (version) => ({
    writeTool: 'write_file',
    headless: { cannot: [] },
    acp: [
      {
        settings: '.gemini/settings.json',
        authMethod: 'gemini-api-key',
        cannot: listAcpGaps(version),
        ...(isOld(version) ? { core: true } : { distrusts: true, writesThroughUs: true }),
      },
    ],
    hooks: {
      event: 'AfterTool',
      reported: ['SessionStart', 'SessionEnd', 'BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool'],
      cannot: [],
    },
    transcripts: { cannot: [] },
    joined: { cannot: ['remember an interrupted turn'] },
    terminal: {
      keepsRetrying: true,
      run: (command) => `RUN: ${command}`,
      question: `CALL: ask_user ${JSON.stringify(question)}`,
      modes: ['acceptEdits', 'plan', 'bypassPermissions', 'default'],
      model: { id: 'gemini-2.5-pro', shown: /gemini-2\.5-pro/ },
      cannot: [],
      // At its start such a version writes a summary into the file of the last session, without a lock. The first prompt of
      // a resumed session reads that file and fails ("Unexpected end of JSON input") if it is being written just then.
      ...(isOld(version)
        ? {
            beforeResume: {
              folder: '.gemini/tmp',
              file: /\/chats\/session-.*\.json$/,
              add: { summary: 'A summary' },
            },
          }
        : {}),
    },
  }),
}
