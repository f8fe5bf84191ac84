/** Folders that hold keys and nothing that a person would want to read from afar. */
const folders = new Set([
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

/** The same of programs whose settings lie in a folder for all programs; elsewhere a folder may be called so too. */
const settings = new Set(['.config', 'application support', 'snap', '.local/share', '.cache'])
const programs = new Set([
  // Browsers keep cookies and passwords in their profiles, and so do programs that are made of one.
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
  // Tools with a login of their own.
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

/** Files with keys by name. The agents' own logins are among them. */
const files = new Set([
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

const shapes: readonly RegExp[] = [
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|asc|gpg|ovpn|ppk)$/,
  /^\.envrc$/,
  // Backups that editors make of any of them.
  /^\.?#?\.env(?:[.~#]|$)/,
  /^[^.].*\.env$/,
  // Claude keeps copies of it with other endings.
  /^\.claude\.json/,
  /\.(?:tfstate|tfvars)(?:\.backup)?$/,
]

/** Told apart from the real ones by their names, and made to be read. */
const samples = /^\.env\.(?:example|sample|template|dist|defaults?)$/

/**
 * Whether a file may hold keys: nobody reads such a one through the server. The path is absolute and real.
 *
 * @example isSecretPath('/home/ann/.ssh/config') // true
 */
export function isSecretPath(path: string): boolean {
  // Some file systems do not tell large letters from small ones.
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
  if (parts.some((part) => folders.has(part))) return true
  if (parts.some((part, index) => programs.has(part) && isSettings(parts, index))) return true
  // Of another Remora: its ledger, its keys. In ours these two are looked at, too.
  const own = parts.indexOf('.remora')
  if (own !== -1 && own < parts.length - 1 && !['worktrees', 'uploads'].includes(parts[own + 1]!)) return true
  const name = (parts.at(-1) ?? '').replace(/(?:~|\.bak|\.backup|\.old|\.orig)$/, '')
  if (samples.test(name)) return false
  if (files.has(name) || shapes.some((shape) => shape.test(name))) return true
  // The address of a remote may have a password in it.
  return name === 'config' && parts.includes('.git')
}

function isSettings(parts: readonly string[], index: number): boolean {
  const [before = '', above = ''] = [parts[index - 1], parts[index - 2]]
  return settings.has(before) || settings.has(`${above}/${before}`)
}
