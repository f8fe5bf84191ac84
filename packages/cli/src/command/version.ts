import { createRequire } from 'node:module'

/** The version of the installed package. */
export const version = (createRequire(import.meta.url)('@remora/cli/package.json') as { version: string })
  .version
