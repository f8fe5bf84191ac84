import { Link, useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useIsViewer } from '../state/connection.ts'
import { toastError } from '../state/toasts.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { CloseIcon, DownIcon, PlusIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { type Adoptable, adopt, putAsideAdoptable } from './adoptable.ts'
import type { ListRow } from './list-rows.ts'
import { toggleShut, toggleWhole } from './list-view.ts'
import { getFolderName, shortPath } from '../sessions/project.ts'

type Of<K extends ListRow['kind']> = Extract<ListRow, { kind: K }>

export function HeadingRow({ text }: Pick<Of<'heading'>, 'text'>) {
  return <h2 className="px-4 pt-4 pb-2 text-sm font-semibold text-dim">{words.sessions[text]}</h2>
}

export function AdoptRow({ adoptable }: { readonly adoptable: Adoptable }) {
  const [, go] = useLocation()
  const name = useAgentNames()(adoptable.agent)
  return (
    <div className="mx-4 mb-2.5 flex items-center gap-3 rounded-card border border-dashed border-line py-1.5 pr-1 pl-3">
      <AgentMark agent={adoptable.agent} />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-sm">{words.sessions.adoptable(name)}</span>
        <span className="block truncate text-xs text-faint" title={adoptable.cwd}>
          {getFolderName(adoptable.cwd)}
        </span>
      </span>
      <Button
        variant="quiet"
        className="px-3 text-accent"
        onClick={() => {
          adopt(adoptable).then((live) => go(routes.session(live)), toastError)
        }}
      >
        {words.sessions.adopt}
      </Button>
      <IconButton label={words.sessions.notNow} onClick={() => putAsideAdoptable(adoptable)}>
        <CloseIcon className="size-4" />
      </IconButton>
    </div>
  )
}

export function ProjectRow({ project, count, isOpen }: Pick<Of<'project'>, 'project' | 'count' | 'isOpen'>) {
  const name = project.name || words.sessions.noFolder
  const isViewer = useIsViewer()
  // The folder that holds worktrees is not a working folder.
  const place = project.worktree === undefined ? project.path : undefined
  return (
    <div className={`ml-4 flex items-center pt-1 ${isViewer ? 'mr-4' : 'mr-2'}`}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => toggleShut(project.id)}
        title={project.path}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-lg text-left"
      >
        <DownIcon className={classNames('size-4 shrink-0 text-faint transition', !isOpen && '-rotate-90')} />
        <span dir="auto" className="min-w-0 shrink truncate font-semibold">
          {name}
        </span>
        <span className="text-xs text-faint">{count}</span>
        {place && (
          <span className="min-w-0 flex-1 truncate text-right text-xs text-faint">{shortPath(place)}</span>
        )}
      </button>
      {place && !isViewer && (
        <Link
          href={`${routes.newSession}?cwd=${encodeURIComponent(place)}`}
          aria-label={words.sessions.newHere(name)}
          title={words.sessions.newHere(name)}
          className="flex size-11 shrink-0 items-center justify-center rounded-xl text-faint hover:bg-sunken hover:text-ink"
        >
          <PlusIcon className="size-4" />
        </Link>
      )}
    </div>
  )
}

export function RestRow({ project, count }: Pick<Of<'rest'>, 'project' | 'count'>) {
  return (
    <div className="mx-4 rounded-b-card border-x border-b border-line bg-raised">
      <button
        type="button"
        onClick={() => toggleWhole(project)}
        className="min-h-11 w-full rounded-b-card border-t border-line text-sm font-medium text-accent hover:bg-sunken"
      >
        {count > 0 ? words.sessions.moreOfProject(count) : words.sessions.lessOfProject}
      </button>
    </div>
  )
}
