export interface FocusOnce {
  /** The element takes the focus when it is drawn next. */
  next: boolean;
  /** The element's `ref`, which is called each time that it is drawn. */
  readonly ref: (element: HTMLElement | null) => void;
}

/** Moves the focus to an element once it is there, and not again when it is drawn later. */
export function createFocus(): FocusOnce {
  const focus: FocusOnce = {
    next: false,
    ref(element) {
      if (element && focus.next) {
        focus.next = false;
        element.focus();
      }
    },
  };
  return focus;
}
