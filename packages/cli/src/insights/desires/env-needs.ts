import type { PackageManager } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { findProgram } from '../../detection/find-program.ts'
import { wholeNumber } from '../../output/format-number.ts'
import { ago } from '../../output/format-time.ts'
import { table } from '../../output/table.ts'
import { toCell } from './format-call.ts'
import { showCalls } from './show-calls.ts'

/** The program of each package manager, preferred ones first. */
const programs: Readonly<Record<PackageManager, string>> = {
  brew: 'brew',
  apt: 'apt-get',
  npm: 'npm',
  pip: 'pip',
}

/** Shows commands and variables that agents use and that do not exist. */
export async function showEnvNeeds(input: Input, io: Io): Promise<number> {
  const { envNeeds, installHint } = await import('@remora/insights')
  return showCalls(input, io, { failed: true }, async ({ failures, query }) => {
    const managers = await installed(io)
    const all = await Promise.all(
      envNeeds(failures)
        .slice(0, query.limit)
        .map(async (need) => {
          const there =
            need.kind === 'command' && (await findProgram(need.name, io.env['PATH'])) !== undefined
          return {
            ...need,
            /** Whether it has been installed since. */
            there,
            install: (need.kind === 'command' && !there && installHint(need.name, managers)) || null,
          }
        }),
    )
    return {
      json: all,
      lines(paint, width) {
        if (all.length === 0) return []
        const now = Date.now()
        return table(
          [
            { title: 'NEED' },
            { title: 'NAME', least: 12 },
            { title: 'COUNT', align: 'right' },
            { title: 'SESSIONS', align: 'right', from: 70 },
            { title: 'LAST' },
            { title: 'AGENTS', least: 6, from: 80 },
            { title: 'FIX', least: 16 },
          ],
          all.map((need) => ({
            cells: [
              need.kind,
              toCell(need.name, 60),
              wholeNumber(need.count),
              wholeNumber(need.sessions),
              ago(need.last, now),
              need.agents.join(', '),
              need.there ? 'found in PATH now' : (need.install ?? '-'),
            ],
            paint: need.there ? paint.dim : undefined,
          })),
          width,
          paint,
        )
      },
      none:
        failures.length === 0
          ? undefined
          : 'No missing commands or variables.\n  Show other failures: remora desires\n',
    }
  })
}

async function installed(io: Io): Promise<PackageManager[]> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([manager, program]) =>
      (await findProgram(program, io.env['PATH'])) === undefined ? [] : [manager as PackageManager],
    ),
  )
  return found.flat()
}
