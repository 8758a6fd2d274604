import type { MenuItem } from "./extras_context.ts";
import type { FocusOnce } from "./focus_once.ts";

export interface IconButtonProps extends MenuItem {
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

/** A small button below a message. */
export function IconButton({ label, icon, isPressed, focus, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      ref={focus ?? null}
      class="thumb"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onPress}
    >
      <Icon path={icon} />
    </button>
  );
}
