import type { HomeRecipe } from './recipe.ts'

export const gemini: HomeRecipe = {
  files: ({ cwd }) => ({
    // A variable gives trust as well, but 0.34 asks and does not know it.
    '.gemini/trustedFolders.json': { [cwd]: 'TRUST_FOLDER' },
    '.gemini/settings.json': {
      // Without it a base URL makes the CLI choose the auth kind `gateway` and give up.
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        // The names that the two switches had before 0.29.
        disableAutoUpdate: true,
        disableUpdateNag: true,
        sessionRetention: { enabled: false },
        // Ten attempts by default: minutes of silence for a fault.
        maxAttempts: 2,
      },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  env: ({ url }) => ({
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
}
