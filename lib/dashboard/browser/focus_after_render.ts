/** Moves the focus to what will be there once what has just been asked for is drawn. */
export function focusAfterRender(find: () => HTMLElement | null): void {
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
}
