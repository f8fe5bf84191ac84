import type { CallEntry } from '@remora/ledger'
import { getCommandLine } from '../classify/classify.ts'
import { shellWords } from '../pave/hook.ts'

/** How much a call can do, the most first. `none` changes nothing and reaches no other machine. */
export const riskLevels = ['high', 'medium', 'low', 'none'] as const
/** How much a call can do. */
export type RiskLevel = (typeof riskLevels)[number]

/** One reason why a call is risky. */
export interface Risk {
  readonly id: string
  readonly level: RiskLevel
  /** What the call does, after its name. @example 'deletes files' */
  readonly meaning: string
}

/** The part of a call that decides how risky it is. */
export type RiskyCall = Pick<CallEntry, 'tool' | 'input' | 'cwd'>

/** A call as the rules see it. */
interface Seen {
  readonly tool: string
  readonly changes: 'command' | 'file' | 'nothing' | 'unknown'
  /** The commands of a shell line, each a list of words. */
  readonly commands: readonly (readonly string[])[]
  /** A shell line, or part of it, that cannot be split into words. */
  readonly unreadable: boolean
  /** Paths that the call names, and files that its command line writes to. */
  readonly paths: readonly string[]
  readonly written: readonly string[]
  readonly cwd: string | undefined
}

interface RiskRule extends Risk {
  readonly fits: (call: Seen) => boolean
}

const reading = new Set('Read Glob Grep LS TodoWrite AskUserQuestion ExitPlanMode'.split(' '))
const editing = new Set('Edit MultiEdit Write NotebookEdit'.split(' '))
const fetching = new Set(['WebFetch', 'WebSearch'])

/** Files that give access to something: keys, tokens, passwords. */
const credential =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.azure|\.config\/(?:gcloud|gh))(?:\/|$)|(?:^|\/)(?:\.env(?:\.(?!example|sample|template)[\w.-]+)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json)?|auth\.json|secrets?\.(?:json|ya?ml|toml))$|\.(?:pem|p12|pfx|keystore)$/i

/** Every rule, the riskiest first. A call has the risks of all rules that fit. */
const rules: readonly RiskRule[] = [
  {
    id: 'credentials',
    level: 'high',
    meaning: 'uses a file with credentials',
    fits: ({ paths, commands }) =>
      paths.some((path) => credential.test(path)) || commands.flat().some((word) => credential.test(word)),
  },
  {
    id: 'deletion',
    level: 'high',
    meaning: 'deletes or overwrites files',
    fits: (call) =>
      runs(call, 'rm', 'rmdir', 'unlink', 'shred', 'truncate', 'dd', 'mkfs', 'fdisk', 'parted') ||
      runs(
        call,
        'git clean',
        'git restore',
        'git rm',
        'git stash drop',
        'git stash clear',
        'git filter-branch',
      ) ||
      runs(call, 'git checkout --', 'git checkout .') ||
      runsWith(call, 'git reset', /^--hard$/) ||
      runsWith(call, 'git branch', /^(?:-d|-D|--delete)$/) ||
      runsWith(call, 'find', /^-delete$/),
  },
  {
    id: 'publishing',
    level: 'high',
    meaning: 'publishes, or changes another machine',
    fits: (call) =>
      runs(call, 'git push', 'gh', 'glab', 'docker push', 'podman push') ||
      runs(call, 'npm publish', 'pnpm publish', 'yarn publish', 'yarn npm publish', 'bun publish') ||
      runs(call, 'cargo publish', 'gem push', 'twine upload', 'uv publish', 'poetry publish') ||
      runs(call, 'kubectl', 'helm', 'terraform apply', 'terraform destroy', 'aws', 'gcloud', 'az'),
  },
  {
    id: 'privileges',
    level: 'high',
    meaning: 'uses or changes rights of the system',
    fits: (call) =>
      runs(call, 'sudo', 'doas', 'su', 'pkexec', 'chmod', 'chown', 'setfacl', 'visudo', 'crontab') ||
      runs(call, 'systemctl', 'service'),
  },
  {
    id: 'outside',
    level: 'high',
    meaning: 'writes outside the project',
    fits: ({ changes, paths, written, cwd }) =>
      [...(changes === 'file' ? paths : []), ...written].some((path) => isOutside(path, cwd)),
  },
  {
    id: 'network',
    level: 'medium',
    meaning: 'uses the network',
    fits: (call) =>
      fetching.has(call.tool) ||
      runs(call, 'curl', 'wget', 'ssh', 'scp', 'sftp', 'rsync', 'nc', 'ncat', 'socat', 'ftp', 'telnet') ||
      runs(call, 'git clone', 'git fetch', 'git pull', 'docker pull'),
  },
  {
    id: 'packages',
    level: 'medium',
    meaning: 'installs packages or runs their scripts',
    fits: (call) =>
      runs(call, 'npx', 'bunx', 'pipx', 'uvx') ||
      call.commands.some(
        ([program = '', verb = defaultVerb]) =>
          packageVerbs.get(getProgram(program))?.includes(verb) === true,
      ),
  },
  {
    id: 'code',
    level: 'medium',
    meaning: 'runs code from its command line',
    fits: (call) =>
      runs(call, 'eval', 'source', 'xargs') ||
      interpreters.some((each) => runsWith(call, each, /^-\w*[ce]$/)),
  },
  {
    id: 'unreadable',
    level: 'medium',
    meaning: 'has a command line that Remora cannot take apart',
    fits: ({ unreadable }) => unreadable,
  },
  {
    id: 'tool',
    level: 'medium',
    meaning: 'calls a tool whose effects Remora does not know',
    fits: ({ changes }) => changes === 'unknown',
  },
  { id: 'edit', level: 'low', meaning: 'changes files', fits: ({ changes }) => changes === 'file' },
  { id: 'command', level: 'low', meaning: 'runs a command', fits: ({ changes }) => changes === 'command' },
]

/** What `yarn` does without a verb. */
const defaultVerb = 'install'

const packageVerbs = new Map(
  [
    'npm install i add ci exec x run start test update uninstall link rebuild',
    'pnpm install i add exec dlx run start test update remove',
    'yarn install add dlx exec run start test up upgrade remove',
    'bun install i add x run update remove',
    'pip install download wheel',
    'pip3 install download wheel',
    'uv add sync run tool pip',
    'poetry install add run update',
    'cargo install run build test add',
    'go install get run generate',
    'gem install update',
    'bundle install exec update',
    'composer install require update',
    'brew install upgrade',
    'apt install upgrade',
    'apt-get install upgrade dist-upgrade',
  ].map((line): [string, string[]] => {
    const [program = '', ...verbs] = line.split(' ')
    return [program, verbs]
  }),
)

const interpreters = 'sh bash zsh dash fish python python2 python3 node deno perl ruby php'.split(' ')

/**
 * Everything that makes a call risky, the worst first. Empty for a call that only reads the project.
 *
 * @example findRisks({ tool: 'Bash', input: { command: 'rm -r build' } })[0]?.id // 'deletion'
 */
export function findRisks(call: RiskyCall): Risk[] {
  const seen = examine(call)
  const found = rules
    .filter((rule) => rule.fits(seen))
    .map(({ id, level, meaning }) => ({ id, level, meaning }))
  // That it runs a command or changes files goes without saying where something else is known.
  const special = found.filter(({ level }) => level !== 'low')
  return special.length > 0 ? special : found
}

function examine({ tool, input, cwd }: RiskyCall): Seen {
  const line = tool === 'Bash' ? getCommandLine(input) : undefined
  const paths = listPaths(input)
  if (tool === 'Bash') {
    const commands = splitCommands(line ?? '')
    const unreadable = commands.length === 0 || hidesCommands(line ?? '')
    const written = line === undefined ? [] : listTargets(line)
    return { tool, changes: 'command', commands, unreadable, paths: written, written, cwd }
  }
  const changes = editing.has(tool)
    ? 'file'
    : reading.has(tool) || fetching.has(tool)
      ? 'nothing'
      : ('unknown' as const)
  return { tool, changes, commands: [], unreadable: false, paths, written: [], cwd }
}

/** Whether a tool changes files, by Claude's name. @example isEditing('Write') // true */
export function isEditing(tool: string): boolean {
  return editing.has(tool)
}

function splitCommands(line: string): string[][] {
  const commands: string[][] = []
  for (const { command, text } of shellWords(line)) (commands[command] ??= []).push(unquote(text))
  // Commands are numbered from 1.
  return commands.filter(Boolean)
}

/** Whether part of the line is not among its words: a cut text, a here-document, or a command inside of double quotes. */
function hidesCommands(line: string): boolean {
  return /<<|"[^"]*(?:\$\(|`)/.test(line) || line.includes('…')
}

/** The files to which a command line redirects output. */
function listTargets(line: string): string[] {
  return [...line.matchAll(/(?:^|[^<&\d])\d?>{1,2}\|?\s*("[^"]*"|'[^']*'|[^\s;&|()<>]+)/g)]
    .map(([, target]) => unquote(target!))
    .filter((target) => !/^(?:&\d|\/dev\/(?:null|stdout|stderr|tty))$/.test(target))
}

function unquote(word: string): string {
  return word.replaceAll(/["']/g, '')
}

const pathFields = ['file_path', 'notebook_path', 'path', 'absolute_path', 'filePath']

/** The paths in the fields of an input, and those of the files of a patch. @example listPaths({ path: 'a' }) // ['a'] */
export function listPaths(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return listPatched(input)
  const fields = input as Readonly<Record<string, unknown>>
  const named = pathFields.flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []))
  return [...named, ...Object.values(fields).flatMap(listPatched)]
}

function listPatched(patch: unknown): string[] {
  if (typeof patch !== 'string' || !patch.includes('*** Begin Patch')) return []
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path!)
}

/** Whether a path is certainly not in the project. Unknown variables and folders do not count. */
function isOutside(path: string, cwd: string | undefined): boolean {
  if (path.startsWith('~')) return true
  if (/^\.\.(?:\/|$)/.test(normalize(path))) return true
  if (!path.startsWith('/') || cwd === undefined) return false
  const folder = cwd.replace(/\/+$/, '')
  const plain = normalize(path)
  return plain !== folder && !plain.startsWith(`${folder}/`)
}

/** Resolves `.` and `..` without looking at the disk. */
function normalize(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !path.startsWith('/')) parts.push(part)
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

/** Whether a command of the call begins with one of these words or phrases. */
function runs({ commands }: Seen, ...beginnings: readonly string[]): boolean {
  return commands.some((words) => beginnings.some((beginning) => startsWith(words, beginning)))
}

/** Whether a command of the call begins with a phrase and has an argument of this form. */
function runsWith({ commands }: Seen, beginning: string, argument: RegExp): boolean {
  return commands.some(
    (words) => startsWith(words, beginning) && words.slice(1).some((word) => argument.test(word)),
  )
}

function startsWith(words: readonly string[], beginning: string): boolean {
  return beginning
    .split(' ')
    .every((word, index) => (index === 0 ? getProgram(words[0] ?? '') : words[index]) === word)
}

function getProgram(word: string): string {
  return word.split('/').at(-1)!
}
