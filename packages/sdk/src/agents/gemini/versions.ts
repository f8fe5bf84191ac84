/**
 * The first version that has something. Found by unpacking the published packages on both sides of each
 * boundary and reading their option tables and settings schemas; the version below is the first that has it.
 */
export const since = {
  /** `--output-format stream-json`: absent in 0.10.0, present in 0.11.3. */
  streamJson: '0.11.0',
  /** `--resume`, by id too: absent in 0.13.0, present in 0.15.3; 0.14 was not published. */
  resume: '0.15.0',
  /** The short model names: absent in 0.11.3, present in 0.16.0. */
  modelNames: '0.16.0',
  /** Hooks run without a switch: `hooks.enabled` is off by default in 0.25.0; `hooksConfig.enabled` on in 0.26.0. */
  hooks: '0.26.0',
  /** `--policy`: absent in 0.29.0, present in 0.30.0. */
  policy: '0.30.0',
  /** `--admin-policy`: absent in 0.34.0, present in 0.35.0. */
  adminPolicy: '0.35.0',
  /** Values in an MCP server's env and headers are expanded a second time: not in 0.30.0, since 0.31.0. */
  envExpansion: '0.31.0',
  /** Folder trust on by default: off in 0.27.4, on in 0.28.2. */
  folderTrust: '0.28.0',
  /**
   * `--approval-mode plan` without a switch: a choice since 0.26.0, but refused up to 0.32.1 unless
   * `experimental.plan` is set, which is on by default from 0.33.0.
   */
  plan: '0.33.0',
  /** `--acp`: absent in 0.32.1, present in 0.33.0. Before it, and still, `--experimental-acp`. */
  acp: '0.33.0',
  /** Session retention on by default: off in 0.32.1, on in 0.33.0. */
  retention: '0.33.0',
  /**
   * One JSONL file per session: one JSON file up to 0.38.2. From here on a resume leaves a second file with the
   * same short id, which retention takes for a broken session and then deletes both.
   */
  jsonlSessions: '0.39.0',
  /** `--skip-trust` and GEMINI_CLI_TRUST_WORKSPACE: absent in 0.39.0, present in 0.39.1. */
  skipTrust: '0.39.1',
  /** `--session-id`: absent in 0.40.0, present in 0.41.0. */
  sessionId: '0.41.0',
  /** gemini-3.8-flash and its generation: 0.60.0 still has 2.5 for its defaults. */
  currentModels: '0.61.0',
} as const
