import { stat } from 'node:fs/promises'
import { RemoraError } from '@remora/protocol/plain'

/** Converts a system error at the start of a program to an error that the user can act on. */
export async function toSpawnError(
  cause: unknown,
  request: { command: string; cwd?: string | undefined },
): Promise<RemoraError> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const { command, cwd } = request
  // The system reports a missing folder as a missing program, so the folder is checked first.
  const folder = cwd === undefined ? 'fine' : await checkFolder(cwd)
  if (folder === 'missing') {
    return new RemoraError('input', `The folder ${cwd} does not exist`, {
      hint: 'Give an existing folder as the working directory.',
      cause,
    })
  }
  if (folder === 'file') {
    return new RemoraError('input', `${cwd} is not a folder`, {
      hint: 'Give a folder, not a file, as the working directory.',
      cause,
    })
  }
  if (code === 'ENOENT') {
    return new RemoraError('agent_missing', `There is no program ${command}`, {
      hint: 'Install it, or check its path. A script also needs the interpreter of its first line.',
      cause,
    })
  }
  if (code === 'EACCES') {
    return new RemoraError(
      'permission',
      `${command} may not be run, or ${cwd ?? 'the folder'} not be entered`,
      {
        hint: `Check the rights of both, for example with: ls -l ${command}`,
        cause,
      },
    )
  }
  if (code === 'E2BIG') {
    return new RemoraError('input', `The arguments for ${command} are too long for the system`, {
      hint: 'Pass long text through stdin; one argument holds 128 KiB on Linux.',
      cause,
    })
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RemoraError('crashed', `${command} could not be started: ${reason}`, {
    hint: 'Check that the program runs when you start it by hand.',
    cause,
  })
}

async function checkFolder(path: string): Promise<'fine' | 'missing' | 'file'> {
  try {
    return (await stat(path)).isDirectory() ? 'fine' : 'file'
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOTDIR') return 'file'
    return code === 'ENOENT' ? 'missing' : 'fine'
  }
}
