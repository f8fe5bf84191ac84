import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('..', import.meta.url))
/** Attributes with text for users. */
const read = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'hint',
  'label',
  'placeholder',
  'title',
])
const letters = /\p{Letter}/u

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

/** The literal texts in a screen's code. */
function literals(code: string): string[] {
  const { program, errors } = parseSync('screen.tsx', code)
  if (errors.length > 0) throw new Error(errors[0]!.message)
  const found: string[] = []
  const take = (text: unknown, node: Node): void => {
    if (typeof text !== 'string' || !letters.test(text)) return
    found.push(`line ${code.slice(0, node.start).split('\n').length}: ${text.trim()}`)
  }
  /** Collects texts, also inside conditions and concatenations. */
  const shown = (node: Node | null | undefined): void => {
    if (!node) return
    if (node.type === 'Literal') take(node['value'], node)
    if (node.type === 'TemplateLiteral')
      for (const part of node['quasis'] as Node[]) take((part['value'] as { cooked: string }).cooked, part)
    if (node.type === 'JSXExpressionContainer') shown(node['expression'] as Node)
    if (node.type === 'ConditionalExpression') {
      shown(node['consequent'] as Node)
      shown(node['alternate'] as Node)
    }
    if (node.type === 'LogicalExpression') {
      shown(node['left'] as Node)
      shown(node['right'] as Node)
    }
    if (node.type === 'BinaryExpression' && node['operator'] === '+') {
      shown(node['left'] as Node)
      shown(node['right'] as Node)
    }
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk)
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'JSXText') take(node['value'], node)
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node['children'] as Node[])
        if (child.type === 'JSXExpressionContainer') shown(child)
    if (node.type === 'JSXAttribute' && read.has(String((node['name'] as Node)['name'])))
      shown(node['value'] as Node | null)
    for (const field of Object.values(node)) walk(field)
  }
  walk(program)
  return found
}

describe('the texts of the app', () => {
  it('are in the catalogue, not in the screens', () => {
    const screens = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    )
    expect(screens.length).toBeGreaterThan(20)
    const found = screens.flatMap((name) =>
      literals(readFileSync(join(source, name), 'utf8')).map(
        (text) => `${relative(source, join(source, name))} ${text}`,
      ),
    )
    expect(found).toEqual([])
  })

  it.each([
    ['<p>Hello</p>', 1],
    ["<p>{'Hello'}</p>", 1],
    ['<p>{`Hello ${name}`}</p>', 1],
    ["<p>{isOpen ? 'Open' : words.closed}</p>", 1],
    ["<p>{isOpen && 'Open'}</p>", 1],
    ['<button aria-label="Close" />', 1],
    ["<Button label={isOn ? 'On' : 'Off'} />", 2],
    ['<input placeholder="Search" />', 1],
    ['<p className="flex">{words.app.name} · {count}</p>', 0],
    ['<a href="/new" aria-current="page">{words.app.home}</a>', 0],
    ['<p>{`${count} / ${total}`}</p>', 0],
    ['<svg viewBox="0 0 1 1"><path d="M1 1z" /></svg>', 0],
  ])('%s has %i of its own', (code, count) => {
    expect(literals(`export const A = () => ${code}`)).toHaveLength(count)
  })
})
