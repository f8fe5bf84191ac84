import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runNode } from './children.mjs'
import { withBuiltAddons } from './native-addons.mjs'
import { npm } from './npm.mjs'
import { bin, cache, published, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { betterSqlite, hasNodeSqlite } from './sqlite.mjs'
import { withTemporaryFolder } from './temporary.mjs'

/** Packs every package that can be published, and installs the tarballs like a user. */
export function checkPackages(tally) {
  return withTemporaryFolder(async (folder) => {
    const names = published().map(({ manifest }) => manifest.name)
    const packed = await tally.check(`npm pack of ${names.length} packages`, () => pack(names, folder))
    if (!packed) return
    const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
    for (const file of tarballs) {
      const tarball = join(folder, file)
      await tally.check(`publint ${file}`, () => tool('publint', 'publint', ['run', tarball, '--strict']))
      // Neither the app nor the command exports types.
      if (!/^remora-(?:web|cli)-/.test(file))
        await tally.check(`attw ${file}`, () =>
          tool('attw', '@arethetypeswrong/cli', [tarball, '--profile', 'esm-only']),
        )
    }
    await tally.check('the packed packages work in an empty folder', () =>
      tryInstalled(
        join(folder, 'stranger'),
        tarballs.map((file) => join(folder, file)),
      ),
    )
  })
}

async function pack(names, folder) {
  const log = join(cache, 'logs', 'pack.log')
  const code = await npm(['pack', '--pack-destination', folder, ...names.flatMap((name) => ['-w', name])], {
    log,
  })
  if (code !== 0) throw new SetupError('npm pack failed.', { log })
}

async function tool(command, name, args) {
  const log = join(cache, 'logs', `${command}.log`)
  const code = await runNode(bin(name, command), args, { log })
  if (code !== 0) throw new SetupError(`${command} found problems.`, { log })
}

async function tryInstalled(folder, tarballs) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const installPacked = async (names, env = {}) => {
    const log = join(cache, 'logs', 'install-packed.log')
    // The checkout's npm settings, which `npm test` passes on, disable install scripts.
    const args = ['install', '--prefer-offline', '--ignore-scripts=false', ...names]
    const code = await npm(args, { cwd: folder, env, log })
    if (code !== 0) throw new SetupError('Installing the packed packages failed.', { log })
  }
  const remora = async (args) => {
    const log = join(cache, 'logs', `packed-${args[0]}.log`)
    const code = await run(process.execPath, [join(folder, 'node_modules', '.bin', 'remora'), ...args], {
      cwd: folder,
      // No agent on PATH and an empty home give the same answer on every machine.
      env: { PATH: join(folder, 'nothing'), HOME: home, REMORA_HOME: join(home, '.remora') },
      log,
    })
    return { code, log }
  }

  await installPacked(tarballs)
  if (!hasNodeSqlite()) {
    const { code, log } = await remora(['sessions', '--json'])
    if (code === 0 || !readFileSync(log, 'utf8').includes('npm install better-sqlite3'))
      throw new SetupError('The command does not say how to install better-sqlite3.', { log })
    await installPacked([betterSqlite], await withBuiltAddons(join(folder, 'addons')))
  }
  const sessions = await remora(['sessions', '--json'])
  if (sessions.code !== 0)
    throw new SetupError('remora sessions, installed from tarballs, fails.', { log: sessions.log })
  const { log } = await remora(['doctor', '--json'])
  const agents = parse(readFileSync(log, 'utf8'))?.map(({ id, installed }) => `${id} ${installed}`)
  const { builtInAgents } = await import(join(root, 'packages/sdk/dist/agents/built-in.js'))
  const expected = builtInAgents.map(({ id }) => `${id} false`)
  if (agents?.toSorted().join() !== expected.toSorted().join()) {
    throw new SetupError(
      `remora doctor --json, installed from tarballs, does not list ${expected.join(', ')}.`,
      { log },
    )
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
