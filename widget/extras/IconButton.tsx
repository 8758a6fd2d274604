import type { MenuItem } from "./extras_context.ts";
import type { FocusOnce } from "./focus_once.ts";

export interface IconButtonProps extends MenuItem {
  /** A small button below a message, if not said otherwise. */
  readonly look?: string;
  /** For a button that opens something. */
  readonly isExpanded?: boolean;
  readonly focus?: FocusOnce["ref"] | undefined;
}

/** A decorative icon on a grid of 24 pixels; buttons carry their own labels. */
export function Icon({ path }: { readonly path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** A button whose label is read and shown as a tooltip. */
export function IconButton(
  { label, icon, look = "thumb", isPressed, isExpanded, focus, onPress }: IconButtonProps,
) {
  return (
    <button
      type="button"
      ref={focus ?? null}
      class={look}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      onClick={onPress}
    >
      <Icon path={icon} />
    </button>
  );
}
