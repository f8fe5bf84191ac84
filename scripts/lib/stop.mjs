import { setTimeout as sleep } from 'node:timers/promises'

const actions = new Set()
const timeoutMs = 3000
/** The signals that stop a script, and their exit codes. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
let stopping = false

/** Whether this process is stopping, so that no new step may start. */
export const isStopping = () => stopping

/**
 * Registers an action for Ctrl+C or a plain kill. Actions run in reverse order, and each is awaited for a moment. Returns a
 * function that removes the action.
 */
export function onStop(action) {
  if (actions.size === 0) for (const name of Object.keys(signals)) process.on(name, handleSignal)
  actions.add(action)
  return () => {
    actions.delete(action)
    // Without actions, signals have their default effect.
    if (actions.size === 0) for (const name of Object.keys(signals)) process.off(name, handleSignal)
  }
}

function handleSignal(name) {
  void stop(name)
}

async function stop(name) {
  // A second Ctrl+C exits immediately.
  if (stopping) process.exit(signals[name])
  stopping = true
  for (const action of [...actions].reverse()) await Promise.race([action(), sleep(timeoutMs)])
  process.exit(signals[name])
}
