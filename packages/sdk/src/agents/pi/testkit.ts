import type { TestkitPart } from '../../contract/testkit.ts'

export const testkit: TestkitPart = {
  home: {
    files: ({ url }) => ({
      '.pi/agent/models.json': {
        providers: {
          scripted: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'scripted',
            models: [
              {
                id: 'scripted-model',
                name: 'Scripted Model',
                reasoning: true,
                input: ['text', 'image'],
                contextWindow: 100_000,
                maxTokens: 4_000,
              },
            ],
          },
        },
      },
      '.pi/agent/settings.json': {
        defaultProvider: 'scripted',
        defaultModel: 'scripted-model',
        enableInstallTelemetry: false,
        // It tries again as often as by default, only sooner.
        retry: { baseDelayMs: 100 },
      },
    }),
    env: () => ({ PI_OFFLINE: '1' }),
  },
  suites: () => ({
    writeTool: 'write',
    headless: { cannot: [], denialMode: 'plan' },
    transcripts: { cannot: [] },
  }),
}
