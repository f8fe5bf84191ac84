import { expect, it } from 'vitest'
import { call } from '../calls.test-data.ts'
import { classify } from './classify.ts'
import type { FailureClass } from './failure-class.ts'

/** Error messages of common programs. */
const messages: readonly (readonly [error: string, kind: FailureClass])[] = [
  [
    'npm error code ENOENT\nnpm error syscall open\nnpm error path /home/me/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory',
    'wrong-path',
  ],
  [
    'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/nope - Not found',
    'wrong-argument',
  ],
  ['npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree', 'other'],
  ['error: Your local changes to the following files would be overwritten by checkout:', 'other'],
  ['fatal: not a git repository (or any of the parent directories): .git', 'wrong-path'],
  ["error: pathspec 'feature' did not match any file(s) known to git", 'wrong-argument'],
  ["fatal: ambiguous argument 'HEAD~9': unknown revision or path not in the working tree.", 'wrong-argument'],
  ['On branch main\nnothing to commit, working tree clean', 'other'],
  [
    'To github.com:a/b.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs',
    'other',
  ],
  [
    'git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    'permission-denied',
  ],
  ['ssh: connect to host example.org port 22: Connection timed out', 'network'],
  [
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'network',
  ],
  ['docker: Error response from daemon: pull access denied for nope', 'permission-denied'],
  ["unknown shorthand flag: 'x' in -x\nSee 'docker ps --help'.", 'wrong-argument'],
  ['error: unknown command "ge" for "kubectl"', 'wrong-argument'],
  [
    'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
    'network',
  ],
  [
    'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused',
    'network',
  ],
  [
    'ERROR: Could not find a version that satisfies the requirement nope123 (from versions: none)\nERROR: No matching distribution found for nope123',
    'other',
  ],
  ["python3: can't open file '/home/me/a.py': [Errno 2] No such file or directory", 'wrong-path'],
  [
    'usage: prog [-h] --name NAME\nprog: error: the following arguments are required: --name',
    'wrong-argument',
  ],
  ['prog: error: unrecognized arguments: --nope', 'wrong-argument'],
  [
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    os.environ[\'TOKEN\']\n  File "/usr/lib/python3.11/os.py", line 680, in __getitem__\nKeyError: \'TOKEN\'',
    'missing-env',
  ],
  ['Traceback (most recent call last):\n  File "a.py", line 1\nZeroDivisionError: division by zero', 'other'],
  ["PermissionError: [Errno 13] Permission denied: '/etc/x'", 'permission-denied'],
  [
    "requests.exceptions.ConnectionError: HTTPConnectionPool(host='x', port=80): Max retries exceeded",
    'network',
  ],
  [
    'error[E0425]: cannot find value `x` in this scope\nerror: could not compile `a` (bin "a") due to 1 previous error',
    'other',
  ],
  ['error: could not find `Cargo.toml` in `/home/me` or any parent directory', 'wrong-path'],
  [
    'running 1 test\ntest t ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed\nerror: test failed, to rerun pass `--lib`',
    'test-failure',
  ],
  ['./main.go:4:2: undefined: foo', 'other'],
  [
    "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
    'wrong-path',
  ],
  ['zsh: no matches found: *.xyz', 'wrong-path'],
  ['zsh: permission denied: ./run.sh', 'permission-denied'],
  ['bash: ./run.sh: Permission denied', 'permission-denied'],
  ["bash: line 2: syntax error near unexpected token `('", 'other'],
  ['bash: cd: nope: Not a directory', 'wrong-path'],
  ["rm: cannot remove 'd': Is a directory", 'wrong-path'],
  ["mkdir: cannot create directory 'd': File exists", 'wrong-path'],
  [
    'tar: nope.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now',
    'wrong-path',
  ],
  ['make: *** [Makefile:3: build] Error 2', 'other'],
  ['make: gcc: No such file or directory\nmake: *** [Makefile:2: all] Error 127', 'missing-command'],
  ['/bin/sh: 1: cmake: not found', 'missing-command'],
  ['xargs: rg: No such file or directory', 'missing-command'],
  ['find: ‘nope’: No such file or directory', 'wrong-path'],
  ["sed: -e expression #1, char 3: unterminated `s' command", 'wrong-argument'],
  ['grep: Unmatched [, [^, [:, [., or [=', 'wrong-argument'],
  [
    'awk: cmd. line:1: {print $1\nawk: cmd. line:1:          ^ unexpected newline or end of string',
    'wrong-argument',
  ],
  ['jq: error: syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)', 'wrong-argument'],
  ['jq: error: Could not open file x.json: No such file or directory', 'wrong-path'],
  ['Error: No API key provided. Set OPENAI_API_KEY', 'missing-env'],
  ['Error: GITHUB_TOKEN environment variable is required', 'missing-env'],
  [
    'HTTP 401: Bad credentials (https://api.github.com/graphql)\nTry authenticating with:  gh auth login',
    'permission-denied',
  ],
  ['To get started with GitHub CLI, please run:  gh auth login', 'permission-denied'],
  ["GraphQL: Could not resolve to a Repository with the name 'a/b'. (repository)", 'other'],
  ['wget: unable to resolve host address ‘x.invalid’', 'network'],
  ['HTTP/1.1 502 Bad Gateway', 'network'],
  ['Error: listen EADDRINUSE: address already in use :::3000', 'other'],
  [
    "node:internal/modules/cjs/loader:1228\n  throw err;\nError: Cannot find module 'express'\nRequire stack:\n- /home/me/a.js",
    'other',
  ],
  ['npm error could not determine executable to run', 'missing-command'],
  ['sh: vitest: command not found', 'missing-command'],
  ['  1) adds\n\n  0 passing (3ms)\n  1 failing', 'test-failure'],
  ['✖ 3 problems (3 errors, 0 warnings)', 'other'],
  ['Killed', 'other'],
  ["ls: cannot open directory '/root': Permission denied", 'permission-denied'],
  [
    'E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)',
    'permission-denied',
  ],
  ['E: Unable to locate package nope', 'other'],
  ['sudo: a terminal is required to read the password; either use the -S option', 'permission-denied'],
  ['[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0', 'test-failure'],
  ['FAILED (failures=1)', 'test-failure'],
  ['date: invalid date ‘nope’', 'wrong-argument'],
  ['kill: (99999) - No such process', 'other'],
  ["tsc: error TS5023: Unknown compiler option '--nope'.", 'wrong-argument'],
  ['error TS18003: No inputs were found in config file', 'other'],
  ['Playwright TimeoutError: page.goto: Timeout 30000ms exceeded.', 'timeout'],
]

it.each(messages)('%s', (error, kind) => {
  expect(classify(call({ error: `Exit code 1\n${error}` }))).toMatchObject({ class: kind })
})
