import { userInfo } from 'node:os'
import { join } from 'node:path'
import { ownCommand } from '../client/background.ts'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'

/** How a system starts programs for a user. */
export interface ServiceKind {
  readonly name: 'systemd' | 'launchd'
  readonly file: string
  readonly text: string
  /** The commands that start and stop it. */
  readonly start: readonly (readonly string[])[]
  readonly stop: readonly (readonly string[])[]
  readonly status: readonly string[]
  /** Notes for the user, such as how it survives a reboot. */
  readonly hints: readonly string[]
}

const label = 'dev.remora.server'

/** The service manager of this system; undefined if it is not supported. */
export function serviceKind(io: Io, words: readonly string[]): ServiceKind | undefined {
  const command = [...ownCommand(io), 'serve', ...words]
  if (io.platform === 'linux') return systemd(command, io)
  return io.platform === 'darwin' ? launchd(command, io) : undefined
}

/** Variables that agents need, because a service starts with almost none. */
function environment(io: Io): [string, string][] {
  const names = Object.keys(io.env).filter((name) =>
    /^(?:PATH|LANG|LC_ALL|SHELL|REMORA_(?!DEBUG|DATABASE_URL)\w+|XDG_\w+_HOME|[A-Z]+_CLI_PATH)$/.test(name),
  )
  const values = Object.fromEntries(names.map((name) => [name, io.env[name] ?? '']))
  return Object.entries({ ...values, HOME: io.home, REMORA_HOME: remoraHome(io) })
}

function systemd(command: readonly string[], io: Io): ServiceKind {
  const unit = 'remora.service'
  const folder = join(io.env['XDG_CONFIG_HOME'] || join(io.home, '.config'), 'systemd', 'user')
  return {
    name: 'systemd',
    file: join(folder, unit),
    text: [
      '[Unit]',
      'Description=Remora server',
      '',
      '[Service]',
      `ExecStart=${command.map((word) => systemdWord(word).replaceAll('$', '$$$$')).join(' ')}`,
      ...environment(io).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
      // For API keys, which do not belong in a unit file.
      `EnvironmentFile=-${systemdPath(join(remoraHome(io), 'env'))}`,
      // Agents run in tmux below this process and keep running when it stops.
      'KillMode=process',
      'Restart=on-failure',
      'RestartSec=2',
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n'),
    start: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', unit],
      ['systemctl', '--user', 'restart', unit],
    ],
    stop: [['systemctl', '--user', 'disable', '--now', unit]],
    status: ['systemctl', '--user', 'is-active', unit],
    hints: [`To run it without a login session: loginctl enable-linger ${userName(io)}`, ...keysHint(io)],
  }
}

/** Quotes a value by systemd's rules. */
function systemdWord(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped.replaceAll('%', '%%')}"`
}

/** A path that ends its line is not quoted. */
function systemdPath(path: string): string {
  return path.replaceAll('%', '%%')
}

/** Variables with secrets, which are not copied to the service. */
function shellKeys(io: Io): string[] {
  return Object.keys(io.env).filter(
    (name) => io.env[name] && /_(?:API_KEY|AUTH_TOKEN|OAUTH_TOKEN|DATABASE_URL)$/.test(name),
  )
}

function keysHint(io: Io): string[] {
  const names = shellKeys(io)
  if (names.length === 0) return []
  return [
    `The service does not see ${names.join(', ')} from your shell. Add them to ${join(remoraHome(io), 'env')}`,
  ]
}

function launchd(command: readonly string[], io: Io): ServiceKind {
  const file = join(io.home, 'Library', 'LaunchAgents', `${label}.plist`)
  const domain = `gui/${process.getuid?.() ?? 0}`
  const log = join(remoraHome(io), 'logs', 'server.log')
  return {
    name: 'launchd',
    file,
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      `  <key>Label</key><string>${label}</string>`,
      '  <key>ProgramArguments</key>',
      `  <array>${command.map((word) => `<string>${xml(word)}</string>`).join('')}</array>`,
      '  <key>EnvironmentVariables</key>',
      `  <dict>${environment(io)
        .map(([name, value]) => `<key>${xml(name)}</key><string>${xml(value)}</string>`)
        .join('')}</dict>`,
      '  <key>RunAtLoad</key><true/>',
      '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
      // Agents run in tmux below this process and keep running when it stops.
      '  <key>AbandonProcessGroup</key><true/>',
      `  <key>StandardOutPath</key><string>${xml(log)}</string>`,
      `  <key>StandardErrorPath</key><string>${xml(log)}</string>`,
      '</dict>',
      '</plist>',
      '',
    ].join('\n'),
    start: [['launchctl', 'bootstrap', domain, file]],
    stop: [['launchctl', 'bootout', `${domain}/${label}`]],
    status: ['launchctl', 'print', `${domain}/${label}`],
    hints: ['It starts when you log in.'],
  }
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function userName(io: Io): string {
  return io.env['USER'] || userInfo().username
}
