import type { HomeRecipe } from './recipe.ts'

export const claude: HomeRecipe = {
  files: ({ cwd }) => ({
    // An empty home makes the terminal interface ask a host on the internet before it starts.
    '.claude.json': {
      hasCompletedOnboarding: true,
      projects: { [cwd]: { hasTrustDialogAccepted: true } },
    },
  }),
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_AUTOUPDATER: '1',
    // As root it refuses to bypass permissions without it.
    IS_SANDBOX: '1',
  }),
}
