import { STRINGS } from "../strings.ts";
import { BubbleIcon, CloseIcon, ComposeIcon } from "./icons.tsx";

export interface HeaderProps {
  readonly title: string;
  readonly onNew: (() => void) | undefined;
  readonly onClose: () => void;
}

export function Header({ title, onNew, onClose }: HeaderProps) {
  return (
    <header class="header">
      <span class="mark" aria-hidden="true">
        <BubbleIcon />
      </span>
      <div class="names">
        <h2 class="title">
          <bdi>{title}</bdi>
        </h2>
        <p class="subtitle">{STRINGS.subtitle}</p>
      </div>
      {onNew && (
        <button
          type="button"
          class="tool"
          aria-label={STRINGS.newConversation}
          title={STRINGS.newConversation}
          onClick={onNew}
        >
          <ComposeIcon />
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-label={STRINGS.close}
        title={STRINGS.close}
        onClick={onClose}
      >
        <CloseIcon />
      </button>
    </header>
  );
}
