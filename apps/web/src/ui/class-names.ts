/** Joins those that are there. @example classNames('p-2', isOpen && 'shadow') */
export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
