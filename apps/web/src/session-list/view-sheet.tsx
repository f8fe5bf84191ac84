import { Sheet } from '../ui/sheet.tsx'
import { Switch } from '../ui/switch.tsx'
import { words } from '../words/index.ts'
import { useListView } from './list-view.ts'

/** What the list shows beside the usual. */
export function ViewSheet({ onClose }: { readonly onClose: () => void }) {
  const { archived, hidden } = useListView()
  return (
    <Sheet title={words.sessions.view} onClose={onClose}>
      <Switch
        label={words.sessions.viewArchived}
        hint={words.sessions.viewArchivedHint}
        checked={archived}
        onChange={(isOn) => useListView.setState({ archived: isOn })}
      />
      <Switch
        label={words.sessions.viewHidden}
        hint={words.sessions.viewHiddenHint}
        checked={hidden}
        onChange={(isOn) => useListView.setState({ hidden: isOn })}
      />
    </Sheet>
  )
}
