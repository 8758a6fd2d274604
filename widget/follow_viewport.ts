/**
 * Gives the style sheet the part of the screen that an on-screen keyboard leaves free. On iOS neither
 * `position: fixed` nor `100dvh` takes the keyboard into account, and it would cover the input.
 */
export function followViewport(host: HTMLElement, draw: () => void): () => void {
  const viewport = globalThis.visualViewport;
  const ending = new AbortController();
  const update = () => {
    if (!viewport) return;
    const zoomed = Math.abs(viewport.scale - 1) > 0.01;
    host.style.setProperty("--free-height", zoomed ? "" : `${viewport.height}px`);
    host.style.setProperty("--free-top", zoomed ? "" : `${viewport.offsetTop}px`);
    draw();
  };
  viewport?.addEventListener("resize", update, ending);
  viewport?.addEventListener("scroll", update, ending);
  // The keyboard may have come up while the panel was loading.
  update();
  return () => ending.abort();
}
