import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runNode } from './children.mjs'
import { withBuiltAddons } from './native-addons.mjs'
import { npm } from './npm.mjs'
import { bin, cache, published } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { withTemporaryFolder } from './temporary.mjs'

/** Packs every package that can be published, and tries the tarballs as a stranger would. */
export function checkPackages(tally) {
  return withTemporaryFolder(async (folder) => {
    const names = published().map(({ manifest }) => manifest.name)
    const packed = await tally.check(`npm pack of ${names.length} packages`, () => pack(names, folder))
    if (!packed) return
    const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
    for (const file of tarballs) {
      const tarball = join(folder, file)
      await tally.check(`publint ${file}`, () => tool('publint', 'publint', ['run', tarball, '--strict']))
      // The app is files for a browser and the command is a program: neither has types that anybody imports.
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
  if (code !== 0) throw new SetupError(`${command} objects.`, { log })
}

async function tryInstalled(folder, tarballs) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const installLog = join(cache, 'logs', 'install-packed.log')
  const code = await npm(['install', '--prefer-offline', ...tarballs], {
    cwd: folder,
    env: await withBuiltAddons(join(folder, 'addons')),
    log: installLog,
  })
  if (code !== 0) throw new SetupError('The packed packages do not install.', { log: installLog })

  // No agent on PATH and an empty home: a known answer, whatever this machine has.
  const log = join(cache, 'logs', 'packed-doctor.log')
  await run(process.execPath, [join(folder, 'node_modules', '.bin', 'remora'), 'doctor', '--json'], {
    cwd: folder,
    env: { PATH: join(folder, 'nothing'), HOME: home, REMORA_HOME: join(home, '.remora') },
    log,
  })
  const agents = parse(readFileSync(log, 'utf8'))?.map(({ id, installed }) => `${id} ${installed}`)
  const expected = ['claude', 'codex', 'gemini', 'kiro', 'opencode'].map((id) => `${id} false`)
  if (agents?.toSorted().join() !== expected.join()) {
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
