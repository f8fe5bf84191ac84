import type { TestkitPart } from '../../contract/testkit.ts'

export const testkit: TestkitPart = {
  home: {
    files: () => ({ '.copilot/settings.json': { autoUpdate: false, banner: 'never' } }),
    env: ({ url, cache }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      // The key is masked wherever it occurs in the output, so it must not be a word.
      COPILOT_PROVIDER_API_KEY: 'loopback-0c5b1e',
      COPILOT_MODEL: 'scripted-model',
      // The program unpacks 235 MB at its first start.
      ...(cache === undefined ? {} : { COPILOT_PKG_CACHE_HOME: `${cache}/copilot` }),
    }),
  },
  suites: () => ({
    writeTool: 'create',
    headless: { cannot: [] },
    acp: [
      {
        settings: '.copilot/settings.json',
        authMethod: 'copilot-login',
        // A command is allowed word by word.
        always: 'edit',
        prompts: 10,
        cannot: ['list models', 'fork', 'go on after a refusal'],
      },
    ],
    transcripts: { cannot: [] },
    joined: { cannot: [] },
  }),
}
