import { MachineIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { Chip } from '../ui/agent-chips.tsx'
import { useListView } from './list-view.ts'
import { useFreshMachines, useMachines } from './machines.ts'

/** Filters by machine. Hidden with a single machine. */
export function MachineChips() {
  useFreshMachines()
  const { nodes } = useMachines()
  const chosen = useListView(({ node }) => node)
  const choose = (node: string | undefined): void => useListView.setState({ node })
  if (nodes.length < 2 && chosen === undefined) return null
  const silent = nodes.filter((node) => node.silent && node.live > 0)
  return (
    <>
      <div
        role="group"
        aria-label={words.machines.filter}
        className="flex gap-2 overflow-x-auto px-4 py-1.5 [scrollbar-width:none]"
      >
        <Chip isOn={chosen === undefined} onClick={() => choose(undefined)}>
          {words.machines.all}
        </Chip>
        {nodes.map(({ id, name, silent: isSilent }) => (
          <Chip key={id} isOn={chosen === id} onClick={() => choose(chosen === id ? undefined : id)}>
            <MachineIcon className="-ml-1 size-4" />
            {name.slice(0, 40)}
            {isSilent && <span className="sr-only">{words.machines.isOffline}</span>}
            {isSilent && <span aria-hidden="true" className="size-2 rounded-full bg-warn" />}
          </Chip>
        ))}
      </div>
      {silent.map(({ id, name }) => (
        <p key={id} role="status" className="mx-4 my-1 rounded-xl bg-sunken px-3 py-2 text-sm text-warn">
          {words.machines.offline(name)}
        </p>
      ))}
    </>
  )
}
