import type { TestkitPart } from '../../contract/testkit.ts'

const question = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'Like fire' },
        { label: 'Blue', description: 'Like water' },
      ],
    },
  ],
}

export const testkit: TestkitPart = {
  home: {
    files: ({ url }) => ({
      '.config/opencode/opencode.json': {
        // It would add this line itself.
        $schema: 'https://opencode.ai/config.json',
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted-model',
        small_model: 'scripted/scripted-model',
        enabled_providers: ['scripted'],
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
            models: {
              'scripted-model': {
                name: 'Scripted Model',
                tool_call: true,
                attachment: true,
                modalities: { input: ['text', 'image'], output: ['text'] },
                limit: { context: 100_000, output: 4_000 },
              },
            },
          },
        },
        permission: { bash: 'ask', edit: 'ask' },
      },
      // To parse its own list of all models takes a third of the time of a run.
      '.config/models.json': {},
    }),
    env: ({ home }) => ({
      OPENCODE_MODELS_PATH: `${home}/.config/models.json`,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      // With a plugin in place it waits for npm, which must find out at once that nobody answers.
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
    }),
  },
  screen: { idle: /Ask anything|ctrl\+p commands/, busy: /esc interrupt/, asking: /Permission required/ },
  suites: () => ({
    writeTool: 'write',
    helps: [['run'], []],
    headless: { cannot: ['stream text', 'continue after a denial', 'always notice a cut connection'] },
    acp: [
      {
        settings: '.config/opencode/opencode.json',
        authMethod: 'opencode-login',
        prompts: 10,
        keepsRetrying: true,
        cannot: ['go on after a refusal'],
      },
    ],
    hooks: 'own',
    transcripts: { cannot: [] },
    joined: { cannot: [] },
    terminal: {
      keepsRetrying: true,
      run: (command) => `RUN: ${command}`,
      question: `CALL: question ${JSON.stringify(question)}`,
      modes: ['plan', 'default'],
      unreachable: 'bypassPermissions',
      model: { id: 'scripted/scripted-model', shown: /Scripted Model/ },
      missingModel: 'no/such-model',
      cannot: [],
    },
  }),
}
