import type { ComponentChildren, JSX } from "preact";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onPress?: () => void;
  readonly kind?: "plain" | "main" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** Its work is under way: it can be reached, and does nothing. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** Where the words on it do not say enough. */
  readonly label?: string;
  readonly pressed?: boolean;
  readonly small?: boolean;
}

export function Button({ kind = "plain", type = "button", ...props }: ButtonProps): JSX.Element {
  const { children, onPress, busy = false, disabled = false, label, pressed, small = false } = props;
  return (
    <button
      type={type}
      class={`button ${kind}${small ? " small" : ""}`}
      disabled={disabled}
      aria-disabled={busy ? "true" : undefined}
      aria-busy={busy ? "true" : undefined}
      aria-label={label}
      aria-pressed={pressed}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
}
