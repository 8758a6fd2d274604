import type { ComponentChildren } from "preact";

/** Drawn on a 24 grid with the current colour; decorative, the buttons carry the words. */
function Icon({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

/** Two voices in one bubble: a long line and a short one. */
export const BubbleIcon = () => (
  <Icon name="bubble-icon">
    <path
      class="solid"
      d="M10 3.5h4a7.5 7.5 0 0 1 7.5 7.5v7.9c0 .9-.7 1.6-1.6 1.6H10a7.5 7.5 0 0 1-7.5-7.5v-2A7.5 7.5 0 0 1 10 3.5Z"
    />
    <path class="cut" d="M8 10.2h8M8 14h4.5" />
  </Icon>
);

export const ChevronIcon = () => (
  <Icon name="chevron-icon">
    <path d="m6.5 9.5 5.5 5.5 5.5-5.5" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon name="close-icon">
    <path d="m6.5 6.5 11 11m0-11-11 11" />
  </Icon>
);

export const ComposeIcon = () => (
  <Icon name="compose-icon">
    <path d="M11.5 5H8a3 3 0 0 0-3 3v8a3 3 0 0 0 3 3h8a3 3 0 0 0 3-3v-3.5M18.4 4.1a1.8 1.8 0 0 1 1.5 3L13 14l-3.2.7.7-3.2 6.6-6.9a1.8 1.8 0 0 1 1.3-.5Z" />
  </Icon>
);

export const SendIcon = () => (
  <Icon name="send-icon">
    <path d="M12 19V5.5m-5.5 5.3L12 5.3l5.5 5.5" />
  </Icon>
);

export const StopIcon = () => (
  <Icon name="stop-icon">
    <rect class="solid" x="5.5" y="5.5" width="13" height="13" rx="3.5" />
  </Icon>
);

export const ArrowDownIcon = () => (
  <Icon name="down-icon">
    <path d="M12 5.5V18m-5-4.8 5 5 5-5" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon name="alert-icon">
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 8v4.6m0 3.1v.1" />
  </Icon>
);
