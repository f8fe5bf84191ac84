import type { Message } from '@remora/protocol'
import { useState } from 'react'
import { textOf } from '@remora/protocol/plain'
import { fold } from '../../code/fold.ts'
import { words } from '../../words/index.ts'

/** Something that the agent's program said by itself: small, in the middle. */
export function SystemNote({ message }: { readonly message: Message }) {
  const [isWhole, setWhole] = useState(false)
  const text = textOf(message)
  const { text: shown, isFolded, lines } = fold(text, { lines: 6, characters: 600 })
  if (text.trim() === '') return null
  return (
    <div data-role="system" className="mx-auto max-w-[90%] text-center text-xs text-dim">
      <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
        {isWhole ? text : shown}
      </p>
      {isFolded && !isWhole && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="min-h-11 px-4 font-medium text-accent"
        >
          {words.message.showAll(lines)}
        </button>
      )}
    </div>
  )
}
