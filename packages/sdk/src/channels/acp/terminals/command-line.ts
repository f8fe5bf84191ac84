import { stat } from 'node:fs/promises'

/**
 * What is started for a command. The protocol means a program with arguments, but some agents (claude-code-acp 0.16)
 * send a whole line for the shell and no arguments.
 *
 * @example await toCommandLine('npm test && echo done', []) // { command: '/bin/bash', args: ['-c', …] }
 */
export async function toCommandLine(
  command: string,
  args: readonly string[],
): Promise<{ command: string; args: readonly string[] }> {
  const isLine = args.length === 0 && /[^\w./:@%+=,\\-]/.test(command)
  if (!isLine || (await isFile(command))) return { command, args }
  if (process.platform === 'win32') return { command: 'cmd.exe', args: ['/d', '/s', '/c', command] }
  return { command: (await isFile('/bin/bash')) ? '/bin/bash' : '/bin/sh', args: ['-c', command] }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}
