import { useMemo } from 'react'
import { useSearch } from 'wouter'
import { routes } from '../navigation/routes.ts'
import type { SessionKey } from '../wire/api.ts'
import { Busy } from '../ui/busy.tsx'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { Crumbs } from './crumbs.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { FileBody } from './file-body.tsx'
import { joinPath, splitPath } from './paths.ts'
import { useFile } from './use-file.ts'
import { useFolder } from './use-folder.ts'

/** Browses the files of the session's folder. */
export function FilesScreen({ session }: { readonly session: SessionKey }) {
  const search = useSearch()
  const query = useMemo(() => new URLSearchParams(search), [search])
  const { folder, error } = useFolder(session)
  const wanted = query.get('path') ?? ''
  const isAbsolute = wanted.startsWith('/')
  const path = isAbsolute ? wanted : folder ? joinPath(folder, wanted) : undefined
  const line = Number(query.get('line')) || undefined
  const file = useFile(path, line)
  const failure = isAbsolute ? file.error : (error ?? file.error)
  const name = path === undefined ? '' : splitPath(path.replace(/\/+$/, ''))[1]
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader
        title={name === '' ? words.files.title : <bdi>{replaceInvisible(name)}</bdi>}
        back={routes.session(session, 'changes')}
      />
      {path !== undefined && <Crumbs session={session} folder={folder ?? ''} path={path} />}
      {file.view ? (
        <FileBody key={file.view.path} session={session} path={path!} view={file.view} line={line} />
      ) : failure === undefined ? (
        <Busy />
      ) : (
        <LoadError error={failure} onRetry={file.reload} />
      )}
    </section>
  )
}
