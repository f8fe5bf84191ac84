import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { routes } from './routes.ts'

export const searchFieldId = 'search-field'

/** The / key opens the search, unless the user is typing. */
export function useSearchKey(): void {
  const [, go] = useLocation()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      const { target } = event
      if (
        target instanceof HTMLElement &&
        (target.isContentEditable || target.closest('input, textarea, select, .xterm'))
      )
        return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      const field = document.querySelector<HTMLInputElement>(`#${searchFieldId}`)
      if (field) field.select()
      else go(routes.search)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go])
}
