import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onStop } from './stop.mjs'

/** A holder touches its lock this often. Three missed touches mean that it has ended, even if its pid was reused. */
const beat = 5000
const poll = 100

/** Calls `use` while no other process holds the lock. Takes over the lock of a process that has ended. */
export async function withLock(file, use, { waiting = () => {} } = {}) {
  mkdirSync(dirname(file), { recursive: true })
  await acquire(file, waiting)
  const release = () => rmSync(file, { force: true })
  const forget = onStop(release)
  const timer = setInterval(() => touch(file), beat)
  try {
    return await use()
  } finally {
    clearInterval(timer)
    forget()
    release()
  }
}

async function acquire(file, waiting) {
  let isReported = false
  while (!create(file)) {
    if (isStale(file)) {
      removeStale(file)
    } else if (!isReported) {
      waiting(owner(file))
      isReported = true
    }
    await sleep(poll)
  }
}

/** Only one process at a time may remove a stale lock; otherwise it could remove the new lock of another process. */
function removeStale(file) {
  const guard = `${file}.guard`
  if (!create(guard)) {
    if (age(guard) > 3 * beat) rmSync(guard, { force: true })
    return
  }
  try {
    if (isStale(file)) rmSync(file, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
}

function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isStale(file) {
  const pid = owner(file)
  // Between its creation and the writing of the pid, the file is empty.
  if (!pid) return age(file) > beat
  return pid === process.pid || !isAlive(pid) || age(file) > 3 * beat
}

function owner(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function age(file) {
  try {
    return Date.now() - statSync(file).mtimeMs
  } catch {
    return 0
  }
}

function touch(file) {
  try {
    const now = new Date()
    utimesSync(file, now, now)
  } catch {
    // The lock file was removed by hand.
  }
}
