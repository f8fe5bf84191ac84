import type { TestkitPart } from '../../contract/testkit.ts'

export const testkit: TestkitPart = {
  home: {
    files: ({ url }) => ({
      '.kimi-code/config.toml': [
        'default_model = "scripted"',
        'telemetry = false',
        '[providers.scripted]',
        'type = "openai_legacy"',
        `base_url = "${url}/v1"`,
        'api_key = "scripted"',
        '[models.scripted]',
        'provider = "scripted"',
        'model = "scripted-model"',
        'protocol = "openai"',
        'max_context_size = 100000',
        'capabilities = ["image_in", "thinking"]',
        '',
      ].join('\n'),
    }),
    env: () => ({
      KIMI_CODE_NO_AUTO_UPDATE: '1',
      KIMI_DISABLE_TELEMETRY: '1',
      // It tries ten times otherwise, which takes minutes.
      KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: '2',
    }),
  },
  suites: () => ({
    writeTool: 'Write',
    headless: { cannot: ['stream text'] },
    acp: [
      {
        settings: '.kimi-code/config.toml',
        authMethod: 'login',
        // A command is allowed word by word.
        always: 'file',
        prompts: 10,
        cannot: ['usage', 'forget a failed prompt'],
      },
    ],
    transcripts: { cannot: [] },
    joined: { cannot: [] },
  }),
}
