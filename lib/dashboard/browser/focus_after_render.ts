/** Focuses an element that exists only after the next render. */
export function focusAfterRender(find: () => HTMLElement | null): void {
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
}
