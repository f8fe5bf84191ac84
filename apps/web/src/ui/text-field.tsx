import type { ComponentProps } from 'react'

/** A text input below its label. @example <TextField label="Name" value={name} onText={setName} maxLength={60} /> */
export function TextField({
  label,
  onText,
  ...input
}: Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
  readonly label: string
  readonly onText: (text: string) => void
}) {
  return (
    <label className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">{label}</span>
      <input
        dir="auto"
        {...input}
        onChange={({ target }) => onText(target.value)}
        className="min-h-12 rounded-xl border border-line bg-paper px-4"
      />
    </label>
  )
}
