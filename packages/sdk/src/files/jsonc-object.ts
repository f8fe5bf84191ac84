import { RemoraError } from '@remora/protocol/plain'
import { JsoncText } from './jsonc-text.ts'
import { getNodeValue } from 'jsonc-parser'
import { asRecord } from '../events/fields.ts'

/**
 * The object in a settings file that a person may have written: comments and trailing commas are allowed, an empty file
 * is an empty object, and anything else is a `config` error.
 *
 * @example parseJsoncObject('{ "hooks": {}, } // mine') // { hooks: {} }
 */
export function parseJsoncObject(text: string): Record<string, unknown> {
  const { root } = new JsoncText(text)
  if (!root) return {}
  const value = asRecord(getNodeValue(root))
  if (value) return value
  throw new RemoraError(
    'config',
    `The file holds ${root.type === 'array' ? 'a list' : root.type} and no object`,
    {
      hint: 'Correct it by hand; nothing was changed.',
    },
  )
}
