import { follow } from '@remora/intake'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { remoraHome } from '../home/remora-home.ts'
import { ledgerPlace } from '../ledger/ledger-location.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { colors } from '../output/colors.ts'
import { formatDamage } from '../output/format-damage.ts'
import { plural } from '../output/format-number.ts'
import { formatTime } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { Progress } from '../output/progress.ts'
import { stopCode } from '../output/write-all.ts'

/** Keeps the ledger current until it is stopped. A second process is refused with the name of the first. */
export async function followAgents(input: Input, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const json = input.values['json'] === true
  const { dim } = await colors(input, io)
  const say = (line: string): void => (json ? undefined : io.out(`${line}\n`))
  const progress = new Progress(io)
  const place = await ledgerPlace(io)
  return withLedger(
    io,
    async (ledger) => {
      await follow(ledger, {
        signal,
        env: io.env,
        home: io.home,
        remoraHome: remoraHome(io),
        onProgress: ({ files, totalFiles, bytes, totalBytes }) =>
          progress.update(
            'Reading sessions',
            bytes / (totalBytes || 1),
            `${files} of ${plural(totalFiles, 'file')}`,
          ),
        onReady: ({ events, files, damaged }) => {
          progress.clear()
          if (damaged.length > 0) io.err(formatDamage(damaged, io.home).join(''))
          if (json) io.out(`${JSON.stringify({ type: 'ready', files, events })}\n`)
          say(`Read ${plural(files, 'file')}, ${plural(events, 'new event')}. Importing new data into`)
          say(`${place}. Press Ctrl+C to stop.`)
        },
        onFile: ({ path, events }) => {
          if (json) io.out(`${JSON.stringify({ type: 'file', path, events })}\n`)
          say(
            `${dim(formatTime(Date.now()))} ${homePath(path, io.home)} ${dim(`+${plural(events, 'event')}`)}`,
          )
        },
        onSpool: ({ entries, events }) => {
          if (json) io.out(`${JSON.stringify({ type: 'hooks', payloads: entries, events })}\n`)
          say(`${dim(formatTime(Date.now()))} hooks ${dim(`+${plural(events, 'event')}`)}`)
        },
      })
      return stopCode(signal)
    },
    { current: false },
  )
}
