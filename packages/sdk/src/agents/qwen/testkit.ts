import type { TestkitPart } from '../../contract/testkit.ts'

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

export const testkit: TestkitPart = {
  home: {
    files: () => ({
      '.qwen/settings.json': {
        // Without it the terminal asks how to sign in.
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // npm does not make its own ripgrep executable, and it warns about that.
        tools: { useRipgrep: false },
        // Minutes of silence for a fault otherwise.
        model: { generationConfig: { maxRetries: 0 } },
        // A suggestion comes into the input line at any time, and with a request of its own.
        ui: { enableFollowupSuggestions: false },
        // Otherwise the first start adds it.
        $version: 4,
      },
    }),
    terminal: ({ url }) => ({
      '.qwen/settings.json': {
        // As its users have it.
        ui: { enableFollowupSuggestions: true },
        model: {},
        // Otherwise one that is started by hand is in auto mode.
        tools: { useRipgrep: false, approvalMode: 'default' },
        // The models that `/model` offers.
        modelProviders: {
          openai: ['scripted-model', 'other-model'].map((id) => ({
            id,
            envKey: 'OPENAI_API_KEY',
            baseUrl: `${url}/v1`,
          })),
        },
      },
    }),
    env: ({ url }) => ({
      OPENAI_API_KEY: 'scripted',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'scripted-model',
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      // It would load itself twice.
      QWEN_CODE_NO_RELAUNCH: 'true',
    }),
  },
  screen: { idle: /Type your message/, busy: /esc to cancel/, asking: /1\. Yes, allow once/ },
  suites: () => ({
    writeTool: 'write_file',
    headless: { cannot: ['report an overload'] },
    acp: [
      {
        settings: '.qwen/settings.json',
        authMethod: 'openai',
        prompts: 10,
        // Its program only starts another one. It leaves out images for models that it does not know.
        cannot: ['go on after a refusal', 'image', 'crash at once'],
      },
    ],
    hooks: {
      event: 'PreToolUse',
      // A headless run reports no end of its session.
      reported: [
        'SessionStart',
        'Notification',
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUseFailure',
        'Stop',
      ],
      // Into the settings of a project it writes the version of its format, so that they are not restored byte for byte.
      cannot: ['project'],
    },
    transcripts: { cannot: [] },
    joined: { cannot: [] },
    terminal: {
      keepsRetrying: true,
      run: (command) => `RUN: ${command}`,
      // "Always" is a rule of the project for every command of a program, also after the session.
      always: 'cp /dev/null always.txt',
      question: `CALL: ask_user_question ${JSON.stringify(question)}`,
      modes: ['bypassPermissions', 'plan', 'auto', 'acceptEdits', 'default'],
      model: { id: 'other-model', shown: /other-model/ },
      missingModel: 'no-such-model',
      cannot: [],
    },
  }),
}
