import { readFileSync } from 'node:fs'
import { parseJson } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'

/**
 * Why a request to the model failed, where only standard error reports it: 0.11.3 names a file with the answer there,
 * prints nothing and ends with success.
 *
 * @example readApiError('Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-….json')
 */
export function readApiError(stderr: string): string | undefined {
  const [line] = /^.*(?:Error when talking to Gemini API|\[API Error: ).*$/m.exec(stderr) ?? []
  if (line === undefined) return undefined
  const [file] = /\S*gemini-client-error-[\w.-]+\.json/.exec(line) ?? []
  return (file === undefined ? undefined : reasonIn(file)) ?? line.trim()
}

function reasonIn(file: string): string | undefined {
  try {
    const report = asRecord(parseJson(readFileSync(file, 'utf8')))
    return asString(asRecord(report?.['error'])?.['message'])
  } catch {
    // The file was removed, or is not an error report.
    return undefined
  }
}
