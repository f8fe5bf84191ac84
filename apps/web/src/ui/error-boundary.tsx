import { Component, type ReactNode } from 'react'
import { words } from '../words/index.ts'
import { Button } from './button.tsx'

/** Contains errors of its children, and retries when `place` changes. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode; readonly place?: string },
  { readonly error?: unknown }
> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }

  override componentDidUpdate(before: { readonly place?: string }): void {
    if (before.place !== this.props.place && this.state.error !== undefined)
      this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <div role="alert" className="m-4 flex flex-col items-start gap-3 rounded-card bg-bad-soft p-4">
        <p className="font-medium">{words.app.broken}</p>
        <p className="text-dim">{words.app.brokenHint}</p>
        <p className="font-mono text-sm break-words">
          {error instanceof Error ? error.message : words.app.failed}
        </p>
        <Button onClick={() => this.setState({ error: undefined })}>{words.app.retry}</Button>
      </div>
    )
  }
}
