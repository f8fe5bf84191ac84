import { useIsViewer } from '../state/connection.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { PlayIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { useDemo } from './start-demo.ts'

/** Starts the demo and says what it installs. @example <DemoButton variant="primary" /> */
export function DemoButton({ variant = 'plain', ...rest }: Pick<ButtonProps, 'variant' | 'wide'>) {
  // Viewers cannot start agents.
  if (useIsViewer()) return null
  return (
    <div className="flex flex-col items-center gap-2">
      <Button variant={variant} {...rest} onClick={() => useDemo.setState({ isOpen: true })}>
        <PlayIcon />
        {words.demo.start}
      </Button>
      <p className="max-w-sm text-center text-sm text-dim">{words.demo.hint}</p>
    </div>
  )
}
