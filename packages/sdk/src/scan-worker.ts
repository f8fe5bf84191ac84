// The thread that helps to read a large home: takes files from the end of the list until all are taken.
import { parentPort, workerData } from 'node:worker_threads'
import { type ScanOrder, take } from './channels/transcripts/scan-helper.ts'
import { type ScanData, scanFile } from './channels/transcripts/scan.ts'
import { findAgent } from './registry.ts'

const { agent: id, files, taken } = workerData as ScanOrder
// An agent that somebody else registered is not known here; then all is left to the other thread.
const agent = findAgent(id)
const done: ScanData[] = []
for (let place = agent ? files.length - 1 : -1; place >= 0; place--)
  if (take(taken, place)) done.push((await scanFile(agent!, files[place]!, undefined)).data())
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; that is for windows.
parentPort?.postMessage(done)
