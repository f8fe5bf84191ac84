import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { nearest } from '../command/nearest.ts'
import type { Verb } from '../command/verb.ts'
import type { Setting } from '../home/config.ts'
import { configPath, userPath } from '../home/remora-home.ts'

export const config: Verb = {
  name: 'config',
  description: 'Show or change settings. Options override the environment, which overrides the file',
  positionals: [
    { name: 'key', description: 'Setting; leave it out to list all' },
    { name: 'value', description: 'New value' },
  ],
  options: {
    unset: { description: 'Remove the setting from the file' },
    path: { description: 'Print the path of the settings file' },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora config',
    'remora config gemini.path ~/bin/gemini',
    'remora config gemini.path --unset',
    'remora config database postgres://remora:secret@db.example/remora',
  ],
  async run({ values, positionals: [key, value] }, io) {
    const { loadConfig, findSettingProblem, settings, writeSetting } = await import('../home/config.ts')
    if (values['path']) {
      io.out(`${configPath(io)}\n`)
      return 0
    }
    if (key === undefined && values['unset'])
      throw new UsageError('--unset needs a setting', 'Name one: remora config <key> --unset')
    const chosen = key === undefined ? settings() : [find(key, settings())]
    if (value !== undefined || values['unset']) {
      if (value !== undefined && values['unset'])
        throw new UsageError('Cannot set and unset at the same time', 'Leave out the value or --unset')
      check(chosen[0]!.key, value)
      const wrong = value === undefined ? undefined : findSettingProblem(value, chosen[0])
      if (wrong !== undefined) throw new UsageError(`Invalid value "${value}" for ${chosen[0]!.key}`, wrong)
      if (chosen[0]!.secret && value !== undefined) await checkAddress(chosen[0]!, value)
      await writeSetting(io, chosen[0]!.key, value === undefined ? value : stored(chosen[0]!, value, io))
    }
    const current = await loadConfig(io)
    const shown = await createShower()
    const rows = chosen.map((setting) => ({
      key: setting.key,
      value: shown(setting, current.get(setting.key)) ?? null,
      source: current.source(setting.key),
      variable: setting.variable,
      description: setting.description,
    }))
    if (values['json']) io.out(`${JSON.stringify(key === undefined ? rows : rows[0], null, 2)}\n`)
    else if (value !== undefined || values['unset']) {
      const [row] = rows
      if (row!.source === 'environment') io.err(`remora: ${row!.variable} is set and overrides the file\n`)
      if (row!.key === 'ledger.keep' && value !== undefined)
        io.err(
          'The server archives older months once a day, to the archive folder in REMORA_HOME.\n' +
            '  To apply, restart it: remora stop, then remora serve. To archive now: remora data archive\n',
        )
      if (row!.key === 'database')
        io.err(
          'Existing data stays in the old ledger. To move it: remora data migrate\n' +
            '  A running server keeps the old ledger. Restart it: remora stop, then remora serve\n',
        )
    } else if (key !== undefined) io.out(`${rows[0]!.value ?? ''}\n`)
    else {
      const width = Math.max(...rows.map((row) => row.key.length))
      for (const row of rows) io.out(`${row.key.padEnd(width)}  ${row.value ?? '-'}  (${row.source})\n`)
      io.out(`\nFile: ${configPath(io)}\n`)
    }
    return 0
  },
}

function find(key: string, known: readonly Setting[]): Setting {
  const setting = known.find((each) => each.key === key)
  if (setting) return setting
  const near = nearest(
    key,
    known.map((each) => each.key),
  )
  throw new UsageError(
    `Unknown setting "${key}"`,
    near ? `Did you mean ${near}?` : 'List settings: remora config',
  )
}

function check(key: string, value: string | undefined): void {
  if (value === '')
    throw new UsageError(`${key} cannot be empty`, `To remove it: remora config ${key} --unset`)
}

async function checkAddress({ key }: Setting, value: string): Promise<void> {
  const { checkDatabase } = await import('@remora/ledger')
  checkDatabase(value, key)
}

/** Returns a function that masks secret values. */
async function createShower(): Promise<(setting: Setting, value: string | undefined) => string | undefined> {
  const { describeDatabase } = await import('@remora/ledger')
  return ({ secret }, value) => (secret && value !== undefined ? describeDatabase(value) : value)
}

/** Stores paths as absolute paths, since the next command may run elsewhere. */
function stored({ path }: Setting, value: string, io: Io): string {
  return path ? userPath(value, io) : value
}
