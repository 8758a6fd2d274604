import type { Ref } from "preact";
import { STRINGS } from "../strings.ts";
import { BubbleIcon, ChevronIcon } from "./icons.tsx";

export interface LauncherProps {
  readonly open: boolean;
  readonly unread: boolean;
  readonly onClick: () => void;
  readonly elementRef: Ref<HTMLButtonElement>;
}

export function Launcher({ open, unread, onClick, elementRef }: LauncherProps) {
  const label = open ? STRINGS.close : STRINGS.open;
  return (
    <button
      ref={elementRef}
      type="button"
      class="launcher"
      aria-label={unread ? `${label}. ${STRINGS.newAnswer}` : label}
      aria-expanded={open}
      aria-controls="panel"
      onClick={onClick}
    >
      <BubbleIcon />
      <ChevronIcon />
      {unread && <span class="unread" />}
    </button>
  );
}
