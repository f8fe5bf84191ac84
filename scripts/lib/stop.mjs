import { setTimeout as sleep } from 'node:timers/promises'

const actions = new Set()
const timeoutMs = 3000
/** The signals by which a person stops us, and their exit codes. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
let stopping = false

/** Whether we are on our way out, so that nothing new must be begun. */
export const isStopping = () => stopping

/**
 * Registers what must happen when the person stops us (Ctrl+C or a plain kill): last registered, first done, each awaited
 * for a moment. Returns a function that removes the action.
 */
export function onStop(action) {
  if (actions.size === 0) for (const name of Object.keys(signals)) process.on(name, handleSignal)
  actions.add(action)
  return () => {
    actions.delete(action)
    // With nothing left to do, a signal means again what it means to every process.
    if (actions.size === 0) for (const name of Object.keys(signals)) process.off(name, handleSignal)
  }
}

function handleSignal(name) {
  void stop(name)
}

async function stop(name) {
  // A second Ctrl+C means now.
  if (stopping) process.exit(signals[name])
  stopping = true
  for (const action of [...actions].reverse()) await Promise.race([action(), sleep(timeoutMs)])
  process.exit(signals[name])
}
