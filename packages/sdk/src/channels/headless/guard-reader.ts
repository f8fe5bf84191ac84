import type { Event } from '@remora/protocol/plain'
import type { HeadlessReader } from '../../contract/agent.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { makeUnreadable } from '../../events/unreadable.ts'

/**
 * Wraps a reader so that it never throws: a line that makes the agent's reader throw becomes `unknown`.
 *
 * @example guardReader(maker, agent.headless.reader(maker, request))
 */
export function guardReader(maker: EventMaker, reader: HeadlessReader): HeadlessReader {
  const guard =
    (read: (line: string) => Event[]) =>
    (line: string): Event[] => {
      try {
        return read(line)
      } catch (error) {
        maker.next()
        return [makeUnreadable(maker, line, error)]
      }
    }
  return {
    read: guard((line) => reader.read(line)),
    readError: guard((line) => reader.readError?.(line) ?? []),
    findStopReason: () => reader.findStopReason?.(),
    end: (exit, stderr) => reader.end(exit, stderr),
  }
}
