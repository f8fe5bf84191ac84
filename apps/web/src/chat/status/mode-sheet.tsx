import type { LiveInfo } from '@remora/protocol'
import { useAgent } from '../../state/agents.ts'
import { Busy } from '../../ui/busy.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { words } from '../../words/index.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'

/** The label of a mode; an unknown mode keeps its own name. */
export function getModeName(mode: string): string {
  return Object.hasOwn(words.status.modes, mode) ? words.status.modes[mode]!.name : mode
}

/** Chooses the permission mode. */
export function ModeSheet({
  live,
  onChoose,
  onClose,
}: {
  readonly live: LiveInfo
  readonly onChoose: (mode: string) => void
  readonly onClose: () => void
}) {
  const agent = useAgent(live.agent)
  const modes = agent?.modes ?? []
  return (
    <Sheet title={words.status.modeTitle} onClose={onClose}>
      {agent === undefined ? (
        <Busy />
      ) : modes.length < 2 ? (
        <p className="text-dim">{words.status.noModes}</p>
      ) : (
        <ChoiceList
          label={words.status.modeTitle}
          current={live.mode}
          onChoose={onChoose}
          choices={modes.map((id) => ({ id, name: getModeName(id), hint: words.status.modes[id]?.hint }))}
        />
      )}
    </Sheet>
  )
}
