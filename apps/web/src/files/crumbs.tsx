import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { copy } from '../browser/copy.ts'
import type { SessionKey } from '../wire/api.ts'
import { IconButton } from '../ui/button.tsx'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { CopyIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { toFileLink } from '../navigation/file-link.ts'
import { toCrumbs } from './paths.ts'

export interface CrumbsProps {
  readonly session: SessionKey
  readonly folder: string
  readonly path: string
}

/** The path as links to each folder. */
export function Crumbs({ session, folder, path }: CrumbsProps) {
  const list = useRef<HTMLOListElement>(null)
  // The end of the path is the current folder.
  useEffect(() => {
    if (list.current) list.current.scrollLeft = list.current.scrollWidth
  }, [path])
  const crumbs = toCrumbs(folder, path)
  return (
    <nav aria-label={words.files.where} className="flex items-center border-b border-line bg-raised pr-1">
      <ol ref={list} className="flex min-w-0 flex-1 overflow-x-auto px-2 text-sm whitespace-nowrap">
        {crumbs.map(({ name, path: to }, index) => (
          <li key={to} className="flex items-center text-faint">
            {index > 0 && <span aria-hidden="true">/</span>}
            <Link
              href={toFileLink(session, to)}
              aria-current={index === crumbs.length - 1 ? 'page' : undefined}
              className="flex min-h-11 min-w-8 items-center justify-center rounded-lg px-1.5 text-dim hover:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              <bdi>{replaceInvisible(name)}</bdi>
            </Link>
          </li>
        ))}
      </ol>
      <IconButton label={words.files.copyPath} onClick={() => copy(path)}>
        <CopyIcon />
      </IconButton>
    </nav>
  )
}
