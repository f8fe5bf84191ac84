import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

const variants = {
  plain: 'bg-raised text-ink border border-line hover:bg-sunken',
  primary: 'bg-accent text-on-accent hover:brightness-110',
  danger: 'bg-bad text-on-bad hover:brightness-110',
  quiet: 'text-dim hover:bg-sunken hover:text-ink',
  /** Leads to a destructive action, but does not perform it. */
  risky: 'bg-raised text-bad border border-line hover:bg-bad-soft',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants
  /** As wide as its container. */
  readonly wide?: boolean
}

/** @example <Button variant="primary" onClick={send}>{words.compose.send}</Button> */
export function Button({ variant = 'plain', wide, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={classNames(
        'inline-flex min-h-11 items-center justify-center gap-2 rounded-xl px-4 font-medium transition select-none disabled:opacity-45',
        variants[variant],
        wide && 'w-full',
        className,
      )}
      {...rest}
    />
  )
}

export interface IconButtonProps extends ButtonProps {
  /** The accessible name. */
  readonly label: string
}

/** A button with only an icon. @example <IconButton label={words.app.back} onClick={back}><BackIcon /></IconButton> */
export function IconButton({ label, variant = 'quiet', className, ...rest }: IconButtonProps) {
  return (
    <Button
      variant={variant}
      aria-label={label}
      title={label}
      className={classNames('size-11 shrink-0 px-0!', className)}
      {...rest}
    />
  )
}
