import type { HomeRecipe } from './recipe.ts'

export const opencode: HomeRecipe = {
  files: ({ url }) => ({
    '.config/opencode/opencode.json': {
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
              limit: { context: 100_000, output: 4_000 },
            },
          },
        },
      },
      permission: { bash: 'ask', edit: 'ask' },
    },
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    // With a plugin in place it waits for npm, which must find out at once that nobody answers.
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
  }),
}
