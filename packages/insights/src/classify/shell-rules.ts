import { type Rule, shellTools } from './rule.ts'

const tools = shellTools
/** The start of a shell's own message: its name and the line of the script. */
const shell = String.raw`(?:^|\n)(?:[\w./-]*\b(?:ba|da|z|k|a|fi)?sh(?:\.exe)?|/[\w./-]+\.sh|[\w./-]+\.sh)(?:: line \d+|: \d+|:\d+|\[\d+\])?: `

/** Missing commands, as shells and programs that start others report them. */
export const commandRules: readonly Rule[] = [
  {
    id: 'shell-command-not-found',
    class: 'missing-command',
    tools,
    pattern: /: command not found(?!:)/i,
    extract: /(?<what>[^\s:'"`]+): command not found/i,
  },
  {
    id: 'zsh-command-not-found',
    class: 'missing-command',
    tools,
    pattern: /(?:command not found|Unknown command): ?['"`]?(?<what>[\w.@+-]+)/i,
  },
  {
    id: 'sh-not-found',
    class: 'missing-command',
    tools,
    pattern: new RegExp(String.raw`${shell}(?<what>[^\s:/]+): not found\b`),
  },
  {
    id: 'start-not-found',
    class: 'missing-command',
    pattern:
      /(?:(?:\benv|\bxargs|\bnohup|\btimeout|\bnice|\bstdbuf|\bsetsid|\bmake(?:\[\d+\])?): (?:failed to run command |can't execute |cannot run )?['"`‘]?(?<what>[\w.+@-]+)['"`’]?: No such file or directory|exec: ["'`](?<program>[\w.+@-]+)["'`]: executable file not found|\bspawn(?:Sync)? (?<spawned>[\w.+@-]+) ENOENT|which: no (?<sought>[\w.+@-]+) in|bad interpreter: No such file|could not determine executable to run)/i,
  },
  {
    id: 'subprocess-not-found',
    class: 'missing-command',
    tools,
    pattern:
      /subprocess\.py"[\s\S]*FileNotFoundError: \[Errno 2\] No such file or directory: ['"](?<what>[\w.+@-]+)['"]/,
  },
  {
    id: 'subcommand-not-installed',
    class: 'missing-command',
    tools,
    pattern:
      /(?:error: no such command: [`'"](?<what>[\w-]+)|(?:python[\d.]*|\/python[\d.]*): No module named (?<module>[\w.]+)|^(?:Error: |error: )?[`'"]?(?<program>[\w.+-]+)[`'"]? is not installed\b|Cannot find (?:the )?(?:command|executable|program) [`'"](?<sought>[\w.+-]+))/im,
  },
]

/** Summaries of test runners, which are reliable whatever else the output contains. */
export const testRules: readonly Rule[] = [
  {
    id: 'jest-vitest',
    class: 'test-failure',
    tools,
    pattern:
      /(?:^\s*(?:Tests|Test Files|Test Suites|Snapshots):?\s+(?:\d+ \w+[,|] ?)*\d+ failed|^ ?FAIL {1,2}\S+\.(?:test|spec)\.\w+|^\s*FAIL {2}\S)/m,
  },
  {
    id: 'pytest',
    class: 'test-failure',
    tools,
    pattern:
      /(?:^=+ (?:.*\b)?\d+ (?:failed|errors?)\b.*=+$|^\d+ (?:failed|errors?)(?:, \d+ \w+)* in [\d.]+s|^FAILED \S+::|^ERROR \S+\.py\b|^=+ (?:FAILURES|ERRORS) =+$)/m,
  },
  {
    id: 'unittest',
    class: 'test-failure',
    tools,
    pattern: /^(?:FAILED \((?:failures|errors)=\d+|(?:FAIL|ERROR): test\w* \()/m,
  },
  {
    id: 'go-test',
    class: 'test-failure',
    tools,
    pattern: /^(?:\s*--- FAIL: |FAIL\t(?!\S+ \[(?:build|setup) failed\])\S)/m,
  },
  {
    id: 'cargo-test',
    class: 'test-failure',
    tools,
    pattern: /(?:^test result: FAILED\.|^error: test failed, to rerun pass)/m,
  },
  {
    id: 'tap',
    class: 'test-failure',
    tools,
    pattern: /^(?:\s*not ok \d+|(?:#|ℹ) fail [1-9]\d*$)/m,
  },
  {
    id: 'other-runner',
    class: 'test-failure',
    tools,
    pattern:
      /(?:^\s*\d+ failing\b|\b\d+ examples?, [1-9]\d* failures?\b|^FAILURES!$|Tests run: \d+, +Failures: (?:[1-9]|\d+, +Errors: [1-9])|There were failing tests|^Failed! +- Failed: |tests? failed out of \d+|\|\s*[1-9]\d* failed \(|^\s*[1-9]\d* fail$|with [1-9]\d* failures?\b)/m,
  },
]

/** Failed builds. No test ran, although npm reports a failed test. */
export const buildRules: readonly Rule[] = [
  {
    id: 'build-failed',
    class: 'other',
    tools,
    // Errors about the compiler's options and files (TS5…, TS6…, TS18…) belong to arguments and paths.
    pattern:
      /(?:\[(?:build|setup) failed\]|^error: could not compile\b|\berror TS(?!5\d{3}\b|6\d{3}\b|18\d{3}\b)\d+:(?: Cannot find module ['"](?<what>[^'"]+))?|\berror CS\d+:|^\S+:\d+:\d+: error: |^\S+\.java:\d+: error: |^(?:\[ERROR\] )?COMPILATION ERROR)/m,
  },
  { id: 'npm-test', class: 'test-failure', tools, pattern: /npm (?:ERR!|error) Test failed/ },
]

/** Suites that did not compile. The runner counts them as failed and runs no test. */
export const suiteRule: Rule = {
  id: 'suite-not-built',
  class: 'other',
  tools,
  pattern: /Test suite failed to run\b[^]*\berror TS\d+[^]*^Tests: +0 total/m,
}

/** Environment variables and keys that are not set. */
export const environmentRules: readonly Rule[] = [
  {
    id: 'shell-unset-variable',
    class: 'missing-env',
    tools,
    pattern: /: (?:unbound variable|(?:parameter (?:null or )?)?not set(?: or null)?\b|Undefined variable)/,
    extract: /(?<what>[A-Za-z_]\w*): (?:unbound|parameter|not set|Undefined)/,
  },
  {
    id: 'variable-not-set',
    class: 'missing-env',
    pattern:
      /(?:\b(?<what>[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{4,})\b(?: env(?:ironment)?(?: variable)?)? (?:is |was |must be |has to be |needs to be )?(?:not set|unset|undefined|missing|required|not defined|not found in (?:the )?env|set\b|empty)|\benv(?:ironment)?[ _]?var(?:iable)?s?\b:? ?["'`$]*(?<variable>[A-Z][A-Z0-9_]{2,})["'`]* (?:is |was |must be )?(?:not (?:set|found|defined|present)|unset|undefined|missing|required|empty)|(?:missing|undefined|unset|required|set|define|export|provide)(?: the| a| your)?(?: required)?(?: env(?:ironment)?(?:[ _]?var(?:iable)?)?s?)?:? ["'`$]*(?<wanted>[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b)/,
  },
  {
    id: 'environ-key-error',
    class: 'missing-env',
    tools,
    pattern:
      /(?:os\.environ\[|<frozen os>|\/os\.py", line)[\s\S]*KeyError: ['"](?<what>\w+)['"]|environment variable not found|NotPresent\b|\b(?<name>[A-Z][A-Z0-9_]{2,}) (?:is )?(?:not )?in (?:the|your) environment\b/,
  },
  {
    id: 'api-key',
    class: 'missing-env',
    pattern:
      /(?:(?:no|missing|without an?|provide an?|must specify an?|set an? valid|requires? an?) (?:\w+ )?(?:API|access|auth|secret)[ _-]?(?:key|token)|API[ _-]?key (?:is )?(?:not (?:found|set|provided|configured)|missing|required)|Unable to locate credentials|Could not load the default credentials|setting the \w+ environment variable|populate (?:the )?\w+ environment variable)/i,
  },
]

/** `${NAME:?message}` prints any message; only the name in capitals identifies it. */
export const demandedVariable: Rule = {
  id: 'shell-demanded-variable',
  class: 'missing-env',
  tools,
  pattern: new RegExp(String.raw`${shell}(?<what>[A-Z][A-Z0-9_]{2,}): \S`),
}

/** Patches that a command applies. */
export const patchRules: readonly Rule[] = [
  {
    id: 'patch-does-not-apply',
    class: 'edit-mismatch',
    tools: shellTools,
    pattern: /(?:patch does not apply|^Hunk #\d+ FAILED|hunks? FAILED|corrupt patch at line|patch failed: )/m,
  },
]
