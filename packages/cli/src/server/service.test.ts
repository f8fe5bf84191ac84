import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LiveHome } from '../live/live-home.test-data.ts'

let home: LiveHome
beforeEach(() => (home = new LiveHome()))
afterEach(() => home[Symbol.dispose]())

const self = ['/opt/node', '/opt/my tools/remora.mjs']
const unit = () => join(home.path, '.config/systemd/user/remora.service')

/** A fake systemctl, because containers have none. */
const systemctl = (code = 0) =>
  home.put(
    'bin/systemctl',
    `#!/bin/sh\necho "$*" >> "${home.path}/calls"\n[ ${code} = 0 ] || { echo "Failed to connect to bus" >&2; exit ${code}; }\n`,
    0o755,
  )
const calls = () => readFileSync(join(home.path, 'calls'), 'utf8').trim().split('\n')

describe('remora service on Linux', () => {
  it('writes and starts a unit that keeps agents running and has the user’s PATH', async () => {
    systemctl()
    const { code, out } = await home.remora(['service', 'install', '--port=8123'], {
      self,
      env: { PATH: `${home.path}/bin:/a $b`, GEMINI_API_KEY: 'AIzaNotInTheUnit' },
    })
    expect(code).toBe(0)
    const text = readFileSync(unit(), 'utf8')
    expect(text).toContain('ExecStart="/opt/node" "/opt/my tools/remora.mjs" "serve" "--port=8123"\n')
    expect(text).toContain('KillMode=process\n')
    expect(text).toContain(`Environment="PATH=${home.path}/bin:/a $b"\n`)
    expect(text).toContain(`EnvironmentFile=-${home.state}/env\n`)
    expect(text).not.toContain('AIza')
    expect(out).toContain(
      `The service does not see GEMINI_API_KEY from your shell. Add them to ${home.state}/env\n`,
    )
    expect(text).toContain(`Environment="REMORA_HOME=${home.state}"\n`)
    expect(text).toContain('WantedBy=default.target\n')
    expect(statSync(unit()).mode & 0o777).toBe(0o600)
    expect(calls()).toEqual([
      '--user daemon-reload',
      '--user enable remora.service',
      '--user restart remora.service',
    ])
    expect(out).toContain('Wrote ~/.config/systemd/user/remora.service')
    expect(out).toContain('loginctl enable-linger')
    expect((await home.remora(['service', 'status'], { self })).out).toContain(': active')
    const gone = await home.remora(['service', 'uninstall'], { self })
    expect(gone).toMatchObject({ code: 0, out: expect.stringContaining('Agents keep running') })
    expect(existsSync(unit())).toBe(false)
    expect(calls().at(-1)).toBe('--user disable --now remora.service')
  })

  it('escapes systemd’s special characters', async () => {
    await home.remora(['service', 'install'], { self: ['/opt/100%/"node"', '/opt/$HOME/remora'] })
    expect(readFileSync(unit(), 'utf8')).toContain(
      'ExecStart="/opt/100%%/\\"node\\"" "/opt/$$HOME/remora" "serve"\n',
    )
  })

  it('prints the file and the commands if systemctl is missing', async () => {
    const { code, out, err } = await home.remora(['service', 'install'], { self })
    expect(code).toBe(1)
    expect(out).toContain('Wrote ~/.config/systemd/user/remora.service')
    expect(err).toContain('the service was not started: systemctl is not in PATH\n')
    expect(err).toContain('systemctl --user daemon-reload && systemctl --user enable remora.service')
    expect(existsSync(unit())).toBe(true)
  })

  it('prints the error of systemctl', async () => {
    systemctl(1)
    const { code, err } = await home.remora(['service', 'install'], { self })
    expect(code).toBe(1)
    expect(err).toContain('the service was not started: Failed to connect to bus\n')
  })

  it('reports a missing service', async () => {
    expect(await home.remora(['service', 'status'])).toMatchObject({
      code: 1,
      err: 'No Remora service is installed.\n  Install it: remora service install\n',
    })
    expect(await home.remora(['service', 'uninstall'])).toMatchObject({
      code: 0,
      err: 'No Remora service is installed.\n',
    })
    expect((await home.remora(['service', 'status', '--json'])).json()).toMatchObject({ installed: false })
  })
})

it('installs a launch agent on macOS that keeps agents running', async () => {
  const { out } = await home.remora(['service', 'install'], {
    self: ['/opt/node', '/opt/a&b'],
    platform: 'darwin',
  })
  expect(out).toContain('Wrote ~/Library/LaunchAgents/dev.remora.server.plist')
  const text = readFileSync(join(home.path, 'Library/LaunchAgents/dev.remora.server.plist'), 'utf8')
  expect(text).toContain('<string>/opt/node</string><string>/opt/a&amp;b</string><string>serve</string>')
  expect(text).toContain('<key>AbandonProcessGroup</key><true/>')
})

it('refuses other systems and unknown actions', async () => {
  expect(await home.remora(['service', 'install'], { platform: 'win32' })).toMatchObject({
    code: 3,
    err: expect.stringContaining('remora serve --background'),
  })
  expect((await home.remora(['service', 'restart'])).code).toBe(2)
})
