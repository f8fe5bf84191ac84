import type { Instruction } from '@remora/protocol/api'
import { useState } from 'react'
import { useIsViewer } from '../state/connection.ts'
import { api } from '../wire/api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { EditIcon, PlusIcon, TrashIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { ConfirmSheet } from '../ui/confirm-sheet.tsx'
import { Group } from './group.tsx'
import { InstructionSheet } from './instruction-sheet.tsx'
import { Busy } from '../ui/busy.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { useLoaded } from './use-loaded.ts'

const loadInstructions = (signal: AbortSignal) => api.get('/api/instructions', { signal })

/** The saved instructions for reviewers. */
export function InstructionsPage() {
  const { value, problem, reload } = useLoaded(loadInstructions)
  const [edited, setEdited] = useState<Instruction | 'new'>()
  const [deleted, setDeleted] = useState<Instruction>()
  const isViewer = useIsViewer()
  if (!value) return problem ? <LoadError error={problem} onRetry={reload} /> : <Busy />
  const { instructions } = value
  return (
    <>
      {instructions.length === 0 ? (
        <Empty title={words.settings.noInstructions} hint={words.settings.noInstructionsHint} />
      ) : (
        <Group hint={words.settings.instructionsLead}>
          {instructions.map((each) => (
            <div
              key={each.id}
              data-testid="instruction"
              className="flex min-h-16 items-center gap-1 border-b border-line py-2 pr-2 pl-4 last:border-b-0"
            >
              <div className="min-w-0 flex-1">
                <bdi className="block truncate font-medium">{each.title}</bdi>
                <p className="line-clamp-2 text-sm break-words text-dim [overflow-wrap:anywhere]" dir="auto">
                  {each.text.slice(0, 400)}
                </p>
              </div>
              {!isViewer && (
                <>
                  <IconButton label={`${words.settings.edit}: ${each.title}`} onClick={() => setEdited(each)}>
                    <EditIcon />
                  </IconButton>
                  <IconButton
                    label={`${words.settings.delete}: ${each.title}`}
                    onClick={() => setDeleted(each)}
                  >
                    <TrashIcon />
                  </IconButton>
                </>
              )}
            </div>
          ))}
        </Group>
      )}
      {!isViewer && (
        <Button variant="primary" className="min-h-12" onClick={() => setEdited('new')}>
          <PlusIcon />
          {words.settings.addInstruction}
        </Button>
      )}
      {edited && (
        <InstructionSheet
          instruction={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={reload}
        />
      )}
      {deleted && (
        <ConfirmSheet
          title={words.settings.deleteAsk(deleted.title)}
          hint={words.settings.deleteHint}
          action={words.settings.delete}
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            await api.delete('/api/instructions/:id', { params: { id: deleted.id } })
            reload()
          }}
        />
      )}
    </>
  )
}
