import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine, EngineOptions } from '../contract/engine.test-data.ts'
import type { Ledger } from '../model/ledger.ts'
import { openLedger } from '../open-ledger.ts'

const folders: string[] = []

export function open(place: string, options: EngineOptions = {}): Promise<Ledger> {
  return openLedger({ file: place, ...options })
}

export const sqliteEngine: Engine = {
  async place() {
    const folder = await mkdtemp(join(tmpdir(), 'remora-ledger-'))
    folders.push(folder)
    return join(folder, 'ledger.db')
  },
  open,
  module: import.meta.url,
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}
