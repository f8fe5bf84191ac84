import { type Rule, shellTools } from './rule.ts'

const tools = shellTools

/** Timeouts. */
export const timeoutRules: readonly Rule[] = [
  {
    id: 'command-timeout',
    class: 'timeout',
    pattern:
      /(?:command (?:was )?(?:timed out|automatically cancelled because it exceeded)|after exceeding (?:the )?timeout|timed out after \d+ ?(?:ms|m?s|milliseconds|seconds|minutes)|Tool (?:call|execution) timed out|MCP error -32001|Request timed out|exceeded the timeout of|TimeoutExpired|\bTimeoutError\b|spawn(?:Sync)? \S+ ETIMEDOUT)/i,
  },
  { id: 'timeout-program', class: 'timeout', tools, exit: [124], command: /\btimeout\b/ },
]

/** Refusals by the system, a service or a key. */
export const permissionRules: readonly Rule[] = [
  {
    id: 'system-permission',
    class: 'permission-denied',
    pattern:
      /(?:\bPermission denied\b|\bEACCES\b|\bEPERM\b|Operation not permitted|Read-only file system|\bEROFS\b|Access (?:is )?denied|are you root\?|must be (?:run as )?root|requires? (?:root|superuser)|a password is required|terminal is required to read the password|no tty present|dubious ownership|PermissionError)/i,
  },
  {
    id: 'service-permission',
    class: 'permission-denied',
    pattern:
      /(?:Authentication failed|could not read (?:Username|Password) for|\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?:?|error:?|returned error:) ?(?:401|403)\b|\b401 Unauthorized|\b403 Forbidden|\bUnauthorized\b|not (?:logged|signed) in|login required|(?:please run|try):? +[\w-]+ (?:auth )?login|ENEEDAUTH|invalid (?:api key|token|credentials))/i,
  },
]

/** Failed connections. */
export const networkRules: readonly Rule[] = [
  {
    id: 'no-connection',
    class: 'network',
    pattern:
      /(?:\bECONNREFUSED\b|\bECONNRESET\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bETIMEDOUT\b|\bENETUNREACH\b|\bEHOSTUNREACH\b|\bEPIPE\b.*socket|getaddrinfo|Could not resolve (?:host|proxy)|Couldn't resolve host|Name or service not known|Temporary failure in name resolution|unable to resolve host|bad address|no such host|Failed to (?:connect|establish a new connection)|Couldn't connect to server|Connection (?:refused|reset|timed out|closed by)|Network is unreachable|No route to host|fetch failed|Transport error \(|\[Blocked Host\]|network error|socket hang up|Empty reply from server|Recv failure|Max retries exceeded|ConnectionError|dial tcp|Unable to connect|(?:Could not|Cannot) connect\b|connection to .{1,80} was refused|(?:TLS|SSL).{0,60}(?:handshake|certificate|error|problem)|unable to verify the first certificate|curl: \((?:5|6|7|28|35|52|55|56|60)\))/i,
  },
  // With their output silenced, only the exit code identifies the failure.
  {
    id: 'curl-code',
    class: 'network',
    tools,
    command: /\bcurl\b/,
    exit: [5, 6, 7, 28, 35, 52, 55, 56, 60],
  },
  { id: 'wget-code', class: 'network', tools, command: /\bwget\b/, exit: [4, 5], silent: true },
  {
    id: 'connect-code',
    class: 'network',
    tools,
    command: /^\s*(?:ssh|scp|sftp|ping|nc|git (?:fetch|pull|clone|ls-remote))\b[^|;&]*$/,
    exit: [1, 2, 68, 128, 255],
    silent: true,
  },
  {
    id: 'server-failed',
    class: 'network',
    pattern:
      /(?:\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?:?|error:?|returned error:|ERROR) ?(?:5\d\d|408|429)\b|\b(?:500 Internal Server Error|502 Bad Gateway|503 Service (?:Temporarily )?Unavailable|504 Gateway Time-?out|408 Request Time-?out|429 Too Many Requests))/i,
  },
]

/** Options and arguments that a program rejects, and addresses unknown to a server. */
export const argumentRules: readonly Rule[] = [
  {
    id: 'request-refused',
    class: 'wrong-argument',
    pattern:
      /(?:\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?:?|error:?|returned error:|ERROR) ?(?:400|404|405|406|410|414|415|422)\b|\b(?:400 Bad Request|404 Not Found|405 Method Not Allowed|410 Gone|422 Unprocessable))/i,
  },
  {
    id: 'unknown-option',
    class: 'wrong-argument',
    pattern:
      /(?:(?:unrecognized|unrecognised|unknown|invalid|illegal|unexpected|ambiguous|bad|undefined|no such) (?:command[- ]line |compiler |global )?(?:options?|arguments?|flags?|switch|parameter|signal|predicate|primary|operator)(?: found| provided| name)?(?: --|:| )+["'`‘]?(?<what>-{0,2}[\w][\w-]*)|(?:flag provided but not defined|unknown shorthand flag)[: ]+["'`]?(?<flag>-?[\w-]+)|option (?<long>--?[\w-]+):? is (?:unknown|not recognized|ambiguous)|not a valid option|invalid option --? ?['"‘]?(?<short>[\w-]+))/i,
  },
  {
    id: 'unknown-subcommand',
    class: 'wrong-argument',
    tools,
    pattern:
      /(?:['"`](?<what>[\w-]+)['"`] is not an? [\w-]+ command|(?:unknown|unrecognized|invalid|no such) (?:sub)?command:? ?["'`‘]?(?<command>[\w:-]+)|Missing script: ?["'`]?(?<script>[\w:.-]+)|No rule to make target ['"`‘](?<target>[^'"`’]+)|Task ["'`](?<task>[\w:-]+)["'`] (?:not found|does not exist)|invalid choice: ['"](?<choice>[^'"]+)|recipe for target|Justfile does not contain recipe [`'"](?<recipe>[\w-]+))/i,
  },
  {
    id: 'lacking-argument',
    class: 'wrong-argument',
    pattern:
      /(?:option requires an argument|requires (?:at least|exactly|an?) (?:\d+ |one )?(?:arguments?|value)|missing (?:\w+ ){0,3}(?:operand|argument)|(?:the following )?(?:required )?arguments? (?:are |is |were )?(?:required|not provided)|too (?:many|few) arguments|expected \d+ arguments?|unexpected argument|invalid (?:value|argument|number|integer|date)\b|invalid mode|numeric argument required|not a valid (?:integer|number|identifier|object name|ref))/i,
  },
  // Values rejected by tools other than shells. The messages contain the tools' names.
  {
    id: 'wrong-value',
    class: 'wrong-argument',
    refused: true,
    pattern:
      /(?:\b(?:Invalid|Unsupported|Unexpected|Bad|Wrong) ["'`]?(?<what>[\w.-]+)["'`]? (?:parameter|argument|property|field)\b|^(?:[\w -]{0,40}: )*["'`]?(?<needed>[\w.-]+)["'`]? (?:parameter |argument |field |property )?is (?:a )?required\b|\bMissing (?:required )?(?:parameter|argument|field|property):? ["'`]?(?<lacking>[\w.-]+)|\b(?:Unknown|Unsupported|Invalid) (?<kind>[\w-]+(?: [\w-]+)?) type\b|\b(?:Unknown|Unsupported) type\b)/im,
  },
  {
    id: 'unknown-revision',
    class: 'wrong-argument',
    tools,
    pattern:
      /(?:unknown revision|bad revision ['"](?<what>[^'"]+)|ambiguous argument ['"](?<argument>[^'"]+)|couldn't find remote ref|pathspec ['"](?<branch>[^'"./]+)['"] did not match any file\(s\) known to git|invalid reference: |is not a valid branch name|not something we can merge|No such remote|unknown switch)/i,
  },
  {
    id: 'bad-expression',
    class: 'wrong-argument',
    tools,
    pattern:
      /^(?:sed: (?:-e expression|file \S+ line \d)|[ef]?grep: (?:Unmatched|Invalid|Trailing)|jq: (?:error: syntax error|\d+ compile error)|[gm]?awk: (?:cmd\. |.*source )?line)/m,
  },
  {
    id: 'usage',
    class: 'wrong-argument',
    tools,
    pattern: /^(?:usage|USAGE|Usage): ?\S/m,
    exit: [1, 2, 64, 129],
  },
]

/** Wrong files and folders, as programs report them. */
export const pathRules: readonly Rule[] = [
  {
    id: 'no-such-file',
    class: 'wrong-path',
    pattern:
      /(?:No such file\b|\bENOENT\b|FileNotFoundError|cannot find the (?:file|path)|can't cd to|no such file:|os error 2\)|file (?:does not exist|not found|doesn't exist)|(?:directory|folder|path) (?:does not exist|not found|doesn't exist)|did not match any files?\b|no matches found:|No files? (?:were )?found matching|Could not (?:find|open|read) (?:the )?(?:file|directory|input)|cannot open ['"`‘]?\S+['"`’]? (?:for reading|\(No such)|not a git repository|Could not read package\.json|could not find [`'"]\S+\.\w+[`'"] in |in (?:the )?current directory or any parent|No test files found)/im,
    extract:
      /(?:['"`‘](?<what>[^'"`’]{1,300})['"`’]: |(?:^|: |cannot \w+ )(?<path>[^\s:'"`‘][^:'"`]{0,300}): )No such file|pathspec ['"](?<pathspec>[^'"]+)|ENOENT: .*?['"](?<file>[^'"]+)['"]/,
  },
  {
    id: 'node-module-path',
    class: 'wrong-path',
    tools,
    pattern: /Cannot find module ['"](?<what>(?:\.{0,2}\/|[A-Za-z]:\\)[^'"]+)['"]/,
  },
  {
    id: 'file-kind',
    class: 'wrong-path',
    pattern:
      /(?:\bIs a directory\b|\bNot a directory\b|\bENOTDIR\b|\bEISDIR\b|Directory not empty|File exists|\bEEXIST\b|already exists\b)/i,
  },
]

/** Commands without output, classified by exit code and command line. */
export const silentRules: readonly Rule[] = [
  {
    id: 'silent-lookup',
    class: 'missing-command',
    tools,
    exit: [1],
    silent: true,
    command: /^\s*(?:command -v|which|type|hash) (?<what>[\w.+@-]+)(?:\s*(?:\d?>|&>)\s*\S+|\s)*$/,
  },
  {
    id: 'silent-not-found',
    class: 'missing-command',
    tools,
    exit: [127],
    silent: true,
    // With several commands, the one that failed is unknown.
    command: /^(?:\s*(?:\w+=\S*\s+)*(?<what>[\w.+@-]+)(?![^]*(?:[|;\n]|&&)))?/,
  },
  { id: 'silent-not-executable', class: 'permission-denied', tools, exit: [126], silent: true },
  {
    id: 'silent-path',
    class: 'wrong-path',
    tools,
    exit: [1, 2],
    silent: true,
    command:
      /^\s*(?:(?:cat|ls|cd|head|tail|stat|wc|file|cp|mv|readlink|realpath)\s|(?:test|\[) !? ?-[defrs]\s)[^|;&]*(?:&>\S+|\d?>&\d|[^|;&])*$/,
  },
]

/** Failures without a class of their own, separated so that they group well. */
export const otherRules: readonly Rule[] = [
  {
    id: 'missing-module',
    class: 'other',
    tools,
    pattern:
      /(?:ModuleNotFoundError: No module named ['"](?<what>[\w.]+)|Cannot find (?:module|package) ['"](?<package>[^'"]+)|ImportError: |unresolved import|package (?<go>[\w./-]+) is not in (?:std|GOROOT))/,
  },
  {
    id: 'compile-error',
    class: 'other',
    tools,
    pattern:
      /(?:error TS\d+|\berror\[E\d+\]|: error: |SyntaxError|ParseError|Parse error|syntax error|IndentationError|could not compile|Build failed|Compilation failed|✖ \d+ problems?|Found \d+ (?:errors?|warnings? and \d+ errors?))/,
  },
  {
    id: 'merge-conflict',
    class: 'other',
    tools,
    pattern:
      /(?:CONFLICT \(|Automatic merge failed|non-fast-forward|\[rejected\]|would be overwritten by|nothing to commit|unmerged files)/,
  },
  {
    id: 'exception',
    class: 'other',
    tools,
    pattern:
      /(?:Traceback \(most recent call last\)|^\s*(?:Uncaught )?(?<what>[A-Z]\w*(?:Error|Exception)\b)|panicked at|^panic: |Segmentation fault|core dumped)/m,
  },
  { id: 'killed', class: 'other', tools, exit: [130, 137, 139, 143] },
]
