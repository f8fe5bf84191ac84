/** Joins the given class names. @example classNames('p-2', isOpen && 'shadow') */
export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
