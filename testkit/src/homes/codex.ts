import type { HomeRecipe } from './recipe.ts'

export const codex: HomeRecipe = {
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
  // Hooks that nobody has reviewed are skipped without a word.
  hookArguments: ['--dangerously-bypass-hook-trust'],
}
