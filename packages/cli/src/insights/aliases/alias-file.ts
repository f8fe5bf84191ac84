import { join } from 'node:path'
import { type Alias, checkAlias } from '@remora/insights'
import { RemoraError } from '@remora/protocol/plain'
import type { Io } from '../../command/io.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { editUserFile, readUserFile } from '../../home/user-file.ts'
import { updateRules } from './rules-file.ts'

type Where = Pick<Io, 'env' | 'home'>

function aliasesPath(io: Where): string {
  return join(remoraHome(io), 'aliases.json')
}

/** The user's aliases, oldest first. */
export async function readAliases(io: Where): Promise<Alias[]> {
  return checked(await readUserFile<Alias[]>(aliasesPath(io), []), io)
}

/** Edits the aliases and updates the rules of the pave hook. Returns them, and whether the hook is installed. */
export async function editAliases(
  io: Where,
  edit: (aliases: Alias[]) => Alias[],
): Promise<{ readonly aliases: Alias[]; readonly paved: boolean }> {
  const aliases = await editUserFile<Alias[]>(aliasesPath(io), [], (own) => edit(checked(own, io)))
  return { aliases, paved: await updateRules(io, aliases) }
}

/** Users may edit the file. Invalid entries are reported and not passed to the hook. */
function checked(aliases: readonly Alias[], io: Where): Alias[] {
  return aliases.map((alias, index) => {
    try {
      return checkAlias(alias, { kept: true })
    } catch (cause) {
      throw new RemoraError(
        'config',
        `Alias ${index + 1} in ${aliasesPath(io)} is invalid: ${(cause as Error).message}`,
        { hint: 'Fix it, or remove it from the file. Nothing was changed.', cause },
      )
    }
  })
}
