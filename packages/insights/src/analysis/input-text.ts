/** The fields that describe an input best, by the names of all agents, in order of preference. */
const preferredFields = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'absolute_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'prompt',
  'name',
  'skill',
]

/**
 * The input of a call as one text: its most descriptive field, or all fields as JSON.
 *
 * @example inputText({ command: 'ls -l', timeout: 5 }) // 'ls -l'
 */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : JSON.stringify(input)
  const fields = input as Readonly<Record<string, unknown>>
  for (const field of preferredFields) {
    const value = fields[field]
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(' ')
  }
  const text = JSON.stringify(input)
  return text === '{}' || text === '[]' ? '' : text
}
