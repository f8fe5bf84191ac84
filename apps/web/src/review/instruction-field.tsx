import type { Instruction } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'

export interface ChosenInstruction {
  readonly text: string
  /** The id of saved instructions, used in addition to the text. */
  readonly saved?: string
}

/** Instructions for the reviewers: free text, saved ones, or both. */
export function InstructionField({
  value,
  onChange,
}: {
  readonly value: ChosenInstruction
  readonly onChange: (value: ChosenInstruction) => void
}) {
  const [saved, setSaved] = useState<readonly Instruction[]>([])
  useEffect(() => {
    const over = new AbortController()
    api
      .get('/api/instructions', { signal: over.signal })
      .then(({ instructions }) => setSaved(instructions))
      .catch(() => {
        // Instructions can still be typed.
      })
    return () => over.abort()
  }, [])
  return (
    <div className="flex flex-col gap-2">
      {saved.length > 0 && (
        <div role="group" aria-label={words.review.saved} className="flex flex-wrap gap-2">
          {saved.map(({ id, title, text }) => {
            const isChosen = value.saved === id
            return (
              <button
                key={id}
                type="button"
                aria-pressed={isChosen}
                title={text.slice(0, 300)}
                onClick={() => onChange(isChosen ? { text: value.text } : { text: value.text, saved: id })}
                className={`min-h-11 max-w-full truncate rounded-full border px-4 text-sm ${isChosen ? 'border-accent bg-accent-soft text-accent' : 'border-line text-dim'}`}
              >
                {title}
              </button>
            )
          })}
        </div>
      )}
      <label className="flex flex-col gap-1.5">
        <span className="font-medium">{words.review.instruction}</span>
        <textarea
          value={value.text}
          onChange={({ target }) => onChange({ ...value, text: target.value })}
          placeholder={words.review.instructionPlaceholder}
          maxLength={20_000}
          rows={3}
          className="field-sizing-content max-h-48 min-h-20 resize-none rounded-xl border border-line bg-paper px-3 py-2"
        />
      </label>
      {value.text.trim() && (
        <SaveInstruction
          text={value.text.trim()}
          onSaved={(instruction) => {
            setSaved([...saved, instruction])
            onChange({ text: '', saved: instruction.id })
          }}
        />
      )}
    </div>
  )
}

/** Saves the instructions under a name. */
function SaveInstruction({
  text,
  onSaved,
}: {
  readonly text: string
  readonly onSaved: (instruction: Instruction) => void
}) {
  const [title, setTitle] = useState<string>()
  const [problem, setProblem] = useState('')
  if (title === undefined)
    return (
      <Button
        variant="quiet"
        className="self-start text-sm"
        onClick={() => setTitle(text.split('\n')[0]!.slice(0, 40))}
      >
        {words.review.save}
      </Button>
    )
  const save = async (): Promise<void> => {
    try {
      onSaved(await api.post('/api/instructions', { body: { title: title.trim(), text } }))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        aria-label={words.review.saveAs}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        maxLength={100}
        className="min-h-11 min-w-0 flex-1 rounded-xl border border-line bg-paper px-3"
      />
      <Button disabled={title.trim() === ''} onClick={() => void save()}>
        {words.review.saveNow}
      </Button>
      {problem && (
        <p role="alert" className="w-full text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}
