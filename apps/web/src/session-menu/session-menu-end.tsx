import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { words } from '../words/index.ts'

/** Asks first: what the agent does at this moment is broken off. */
export function EndSession({ onEnd, onClose }: { readonly onEnd: () => void; readonly onClose: () => void }) {
  return (
    <Sheet
      title={words.header.endTitle}
      onClose={onClose}
      footer={
        <div className="grid grid-cols-2 gap-4 pb-2">
          <Button onClick={onClose}>{words.app.cancel}</Button>
          <Button look="danger" onClick={onEnd}>
            {words.header.endNow}
          </Button>
        </div>
      }
    >
      <p>{words.header.endHint}</p>
    </Sheet>
  )
}
