import { RemoraError } from '@remora/protocol/plain'
import { getNodeValue, type Node } from 'jsonc-parser'
import { JsoncText } from './jsonc-text.ts'
import { asRecord } from '../events/fields.ts'

/** Property names and array indexes from the root inwards. */
export type JsoncPath = readonly (string | number)[]

/**
 * Sets one value in JSON with comments. All other bytes stay the same: comments, order, indentation, line endings,
 * trailing commas. Missing objects on the path are created; the index after the last element of an array appends to it.
 *
 * @example setJsonc('{ "a": 1 } // mine', ['b', 'c'], true) // '{ "a": 1, "b": { "c": true } } // mine'
 */
export function setJsonc(text: string, path: JsoncPath, value: unknown): string {
  if (path.length === 0 || JSON.stringify(value) === undefined)
    throw new RemoraError('usage', 'Only a JSON value can be set, and only inside of an object')
  const file = new JsoncText(text)
  if (!file.root) return file.withNewRoot(wrapValue(path, value))
  let node = file.root
  for (const [index, step] of path.entries()) {
    const child = findChild(node, step, path.slice(0, index))
    if (!child) return file.inserted(node, step, wrapValue(path.slice(index + 1), value))
    node = child
  }
  return file.replaced(node, value)
}

/**
 * Removes one property or element. It undoes an insertion by `setJsonc` completely; an object that becomes empty is `{}`.
 *
 * @example removeJsonc('{ "a": 1, "b": 2 }', ['b']) // '{ "a": 1 }'
 */
export function removeJsonc(text: string, path: JsoncPath): string {
  const file = new JsoncText(text)
  let node = file.root
  for (const [index, step] of path.entries()) {
    const child = node && findChild(node, step, path.slice(0, index))
    if (!child) return text
    node = child
  }
  return node?.parent ? file.removed(node) : text
}

/** Wraps a value in the objects of a path that does not exist yet. */
function wrapValue(path: JsoncPath, value: unknown): unknown {
  return path.reduceRight((inner: unknown, step) => {
    if (typeof step === 'string') return { [step]: inner }
    if (step === 0) return [inner]
    throw new RemoraError('usage', `A list that does not exist has no element ${step}`)
  }, value)
}

function findChild(node: Node, step: string | number, way: JsoncPath): Node | undefined {
  const wanted = typeof step === 'string' ? 'object' : 'array'
  if (node.type !== wanted) {
    const where = way.length === 0 ? 'The file' : way.join('.')
    throw new RemoraError(
      'config',
      `${where} holds ${withArticle(node.type)} and not ${withArticle(wanted)}`,
      {
        hint: 'Correct it by hand; nothing was changed.',
      },
    )
  }
  if (typeof step === 'number') {
    if (step > node.children!.length)
      throw new RemoraError('usage', `${way.join('.')} has ${node.children!.length} elements and no ${step}`)
    return node.children![step]
  }
  // JSON parsers use the last of two properties with the same name.
  return node.children!.findLast((property) => property.children?.[0]?.value === step)?.children?.[1]
}

function withArticle(type: string): string {
  return /^[ao]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`
}

/**
 * Parses a settings file with comments and trailing commas. An empty file is an empty object; any other value than an
 * object is a `config` error.
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
