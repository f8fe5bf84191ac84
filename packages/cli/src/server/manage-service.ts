import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { serverHealth } from '../client/server-client.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { findProgram } from '../detection/find-program.ts'
import { remoraHome } from '../home/remora-home.ts'
import { homePath } from '../output/home-path.ts'
import { oneLine } from '../output/one-line.ts'
import { shellLine } from '../output/shell-word.ts'
import { toAddressArguments } from './address-options.ts'
import { type ServiceKind, serviceKind } from './service-file.ts'

/** Installs, removes or shows the system service. */
export async function service(input: Input, io: Io): Promise<number> {
  const { values } = input
  const words = toAddressArguments(values, io)
  const kind = serviceKind(io, words)
  if (!kind)
    throw await fail(
      'unsupported',
      `remora service does not support ${io.platform}`,
      'Start the server yourself: remora serve --background',
    )
  if (input.positionals[0] === 'install') return install(kind, values['json'] === true, io)
  if (input.positionals[0] === 'uninstall') return uninstall(kind, values['json'] === true, io)
  return printStatus(kind, values['json'] === true, io)
}

async function install(kind: ServiceKind, json: boolean, io: Io): Promise<number> {
  await mkdir(dirname(kind.file), { recursive: true })
  // The service manager opens the log before the server can create the folder.
  await mkdir(join(remoraHome(io), 'logs'), { recursive: true, mode: 0o700 })
  const draft = `${kind.file}.${process.pid}`
  try {
    // Only readable by the user, because variables may contain secrets.
    await writeFile(draft, kind.text, { mode: 0o600 })
    await rename(draft, kind.file)
  } finally {
    await rm(draft, { force: true })
  }
  // A server that was started by hand would block the port.
  const running = (await serverHealth(io)) !== undefined && !(await isActive(kind, io))
  const problem = running ? 'a server that you started is already running' : await runAll(kind.start, io)
  if (json)
    io.out(`${JSON.stringify({ file: kind.file, started: problem === undefined, problem }, null, 2)}\n`)
  else {
    io.out(`Wrote ${homePath(kind.file, io.home)}\n`)
    if (problem === undefined)
      io.out('The server is running and starts again at login. Check: remora status\n')
    else {
      io.err(`remora: the service was not started: ${problem}\n`)
      io.err(
        running
          ? '  Stop it, then install again: remora stop && remora service install\n'
          : `  With ${kind.name} running, start it: ${kind.start.map(shellLine).join(' && ')}\n`,
      )
    }
    for (const hint of kind.hints) io.out(`${hint}\n`)
  }
  return problem === undefined ? 0 : 1
}

async function uninstall(kind: ServiceKind, json: boolean, io: Io): Promise<number> {
  const there = existsSync(kind.file)
  const problem = there ? await runAll(kind.stop, io) : undefined
  await rm(kind.file, { force: true })
  if (json) io.out(`${JSON.stringify({ file: kind.file, removed: there }, null, 2)}\n`)
  else if (!there) io.err('No Remora service is installed.\n')
  else {
    io.out(`Removed ${homePath(kind.file, io.home)}. Agents keep running.\n`)
    if (problem !== undefined) io.err(`  ${kind.name} reported: ${problem}\n`)
  }
  return 0
}

async function printStatus(kind: ServiceKind, json: boolean, io: Io): Promise<number> {
  const installed = existsSync(kind.file)
  const active = installed && (await isActive(kind, io))
  const current = installed ? (await readFile(kind.file, 'utf8')) === kind.text : undefined
  if (json) {
    io.out(`${JSON.stringify({ installed, active, file: kind.file, current: current ?? null }, null, 2)}\n`)
    return installed ? 0 : 1
  }
  if (!installed) {
    io.err('No Remora service is installed.\n  Install it: remora service install\n')
    return 1
  }
  io.out(`${homePath(kind.file, io.home)}: ${active ? 'active' : 'not active'}\n`)
  if (!active) io.err(`  Start it: ${shellLine(kind.start.at(-1)!)}\n`)
  return 0
}

async function isActive({ status }: ServiceKind, io: Io): Promise<boolean> {
  return (await runOne(status, io)) === undefined
}

/** The error, if any. */
async function runAll(commands: readonly (readonly string[])[], io: Io): Promise<string | undefined> {
  for (const command of commands) {
    const problem = await runOne(command, io)
    if (problem !== undefined) return problem
  }
  return undefined
}

async function runOne([program, ...args]: readonly string[], io: Io): Promise<string | undefined> {
  const path = await findProgram(program!, io.env['PATH'])
  if (path === undefined) return `${program} is not in PATH`
  return new Promise((resolve) => {
    execFile(path, args, { env: io.env, timeout: 30_000 }, (error, _, stderr) =>
      resolve(error ? oneLine(stderr.trim() || error.message, 200) : undefined),
    )
  })
}
