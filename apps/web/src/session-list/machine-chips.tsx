import { MachineIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { Chips } from '../ui/chips.tsx'
import { useListView } from './list-view.ts'
import { useFreshMachines, useMachines } from './machines.ts'

/** Filters by machine. Hidden with a single machine. */
export function MachineChips() {
  useFreshMachines()
  const { nodes } = useMachines()
  const chosen = useListView(({ node }) => node)
  if (nodes.length < 2 && chosen === undefined) return null
  const offline = nodes.filter((node) => node.silent && node.live > 0)
  const choices = nodes.map(({ id, name, silent }) => ({
    id,
    content: (
      <>
        <MachineIcon className="-ml-1 size-4" />
        {name.slice(0, 40)}
        {silent && <span className="sr-only">{words.machines.isOffline}</span>}
        {silent && <span aria-hidden="true" className="size-2 rounded-full bg-warn" />}
      </>
    ),
  }))
  return (
    <>
      <Chips
        label={words.machines.filter}
        all={words.machines.all}
        choices={choices}
        chosen={chosen}
        onChoose={(node) => useListView.setState({ node })}
      />
      {offline.map(({ id, name }) => (
        <p key={id} role="status" className="mx-4 my-1 rounded-xl bg-sunken px-3 py-2 text-sm text-warn">
          {words.machines.offline(name)}
        </p>
      ))}
    </>
  )
}
