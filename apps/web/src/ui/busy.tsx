import { words } from '../words/index.ts'

/** A loading indicator. */
export function Busy({ label = words.app.loading }: { readonly label?: string }) {
  return (
    <div role="status" className="flex flex-1 items-center justify-center p-8 text-dim">
      <span className="size-2.5 animate-[breathe_1.2s_infinite] rounded-full bg-accent" />
      <span className="sr-only">{label}</span>
    </div>
  )
}
