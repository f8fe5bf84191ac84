import { agents } from '@remora/sdk/hooks'
/** Folders of keys and browser profiles. */
const secretFolders = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.mozilla',
  '.thunderbird',
  '.gcloud',
  '.terraform.d',
  '.vault',
  'gcloud',
  'keyrings',
  'keychains',
  'google-chrome',
  '.wrangler',
  '.fly',
  '.bitcoin',
  '.ethereum',
  '.electrum',
])

/** Folders with the settings of programs. The names below are secret only inside them. */
const settingsFolders = new Set(['.config', 'application support', 'snap', '.local/share', '.cache'])
const secretPrograms = new Set([
  // Browsers and Electron programs keep cookies and passwords in their profiles.
  'chromium',
  'google',
  'google-chrome-beta',
  'bravesoftware',
  'microsoft-edge',
  'microsoft edge',
  'vivaldi',
  'opera',
  'firefox',
  'slack',
  'discord',
  'signal',
  // Tools with their own login.
  'gh',
  'glab-cli',
  'hub',
  'op',
  '1password',
  'sops',
  'age',
  'rclone',
  'doctl',
  'stripe',
  'heroku',
  'configstore',
  'kwalletd',
])

/** Files with keys, including the logins of agents. */
const secretFiles = new Set([
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mylogin.cnf',
  '.htpasswd',
  '.dockercfg',
  '.databrickscfg',
  '.yarnrc.yml',
  '.xauthority',
  '.git-credentials',
  '.vault-token',
  '.boto',
  '.s3cfg',
  '.credentials.json',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.rediscli_history',
  '.sqlite_history',
  '.histfile',
  '.zhistory',
  'fish_history',
  'kubeconfig',
  'state.vscdb',
  'credentials',
  'credentials.json',
  'credentials.toml',
  'application_default_credentials.json',
  'auth.json',
  'mcp-auth.json',
  'oauth_creds.json',
  'mcp-oauth-tokens.json',
  'google_accounts.json',
  'service-account.json',
  'secrets.json',
  'secrets.yaml',
  'secrets.yml',
  'secrets.toml',
  'shadow',
  'gshadow',
  'wallet.dat',
])

const secretPatterns: readonly RegExp[] = [
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|asc|gpg|ovpn|ppk)$/,
  /^\.envrc$/,
  // Includes the backups of editors.
  /^\.?#?\.env(?:[.~#]|$)/,
  /^[^.].*\.env$/,
  /\.(?:tfstate|tfvars)(?:\.backup)?$/,
]

/** The patterns of the agents' own files. */
const agentPatterns = agents().flatMap(({ secretFiles }) => secretFiles ?? [])

/** Templates without secrets. */
const templates = /^\.env\.(?:example|sample|template|dist|defaults?)$/

/**
 * Whether a file may contain secrets, so that the server does not show it. The path must be absolute and real.
 *
 * @example isSecretPath('/home/ann/.ssh/config') // true
 */
export function isSecretPath(path: string): boolean {
  // Some file systems ignore case.
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
  if (parts.some((part) => secretFolders.has(part))) return true
  if (parts.some((part, index) => secretPrograms.has(part) && isInSettings(parts, index))) return true
  // The state of any Remora home is secret, except worktrees and uploads.
  const own = parts.indexOf('.remora')
  if (own !== -1 && own < parts.length - 1 && !['worktrees', 'uploads'].includes(parts[own + 1]!)) return true
  const name = (parts.at(-1) ?? '').replace(/(?:~|\.bak|\.backup|\.old|\.orig)$/, '')
  if (templates.test(name)) return false
  if (secretFiles.has(name) || [...secretPatterns, ...agentPatterns].some((pattern) => pattern.test(name)))
    return true
  // The URL of a git remote may contain a password.
  return name === 'config' && parts.includes('.git')
}

function isInSettings(parts: readonly string[], index: number): boolean {
  const [before = '', above = ''] = [parts[index - 1], parts[index - 2]]
  return settingsFolders.has(before) || settingsFolders.has(`${above}/${before}`)
}
