import { RemoraError } from '@remora/protocol/plain'

/** The error of an append whose lease another process has taken over. */
export function createLeaseLostError(name: string): RemoraError {
  return new RemoraError('conflict', `Another process holds ${name} now; nothing was stored`, {
    hint: 'Stop this process, or restart it when the other one has ended.',
  })
}
