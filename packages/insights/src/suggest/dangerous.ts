/** Commands that can destroy work, reach other machines or run anything: no rule should allow them without asking. */
const always = new Set(
  [
    'rm rmdir shred unlink dd fdisk parted truncate mount umount',
    'sudo doas su pkexec chmod chown chgrp setfacl passwd useradd userdel visudo crontab at',
    'kill pkill killall reboot shutdown halt poweroff systemctl service launchctl',
    'sh bash zsh dash ksh fish eval exec source xargs env nohup python python2 python3 node deno perl ruby php osascript',
    'curl wget ssh scp sftp rsync nc ncat socat ftp telnet',
    'docker podman kubectl helm terraform tofu ansible ansible-playbook aws gcloud az vagrant',
    'apt apt-get dpkg yum dnf pacman snap twine psql mysql mongosh redis-cli sqlite3',
  ]
    .join(' ')
    .split(' '),
)

/** The dangerous subcommands of other commands. */
const subcommands: Readonly<Record<string, ReadonlySet<string>>> = {
  git: words(
    'push reset clean rm checkout restore switch rebase filter-branch filter-repo stash branch tag config remote reflog gc prune update-ref worktree submodule',
  ),
  gh: words('api auth repo release secret pr issue workflow run gist ssh-key gpg-key extension'),
  npm: words('publish unpublish deprecate owner token login adduser access exec x config'),
  pnpm: words('publish dlx exec config'),
  yarn: words('publish dlx npm exec config'),
  bun: words('publish x'),
  cargo: words('publish yank owner login'),
  gem: words('push yank owner signin'),
  pip: words('uninstall'),
  pip3: words('uninstall'),
  poetry: words('publish config'),
  uv: words('publish'),
  brew: words('uninstall remove services'),
  rustup: words('uninstall self'),
}

/**
 * Whether a command needs approval each time, by its name and the next word.
 *
 * @example isDangerous(['git', 'push']) // true
 */
export function isDangerous([name = '', next]: readonly string[]): boolean {
  const program = name.split('/').at(-1)!
  if (always.has(program) || program.startsWith('mkfs')) return true
  const risky = Object.hasOwn(subcommands, program) ? subcommands[program] : undefined
  // Without a subcommand a rule would allow all of them.
  return risky !== undefined && (next === undefined || risky.has(next))
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
