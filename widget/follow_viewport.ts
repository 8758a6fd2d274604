/**
 * Tells the style sheet which part of the screen an on-screen keyboard leaves free: on iOS neither
 * `position: fixed` nor `100dvh` know about it, and the input would end up behind the keys.
 */
export function followViewport(host: HTMLElement, draw: () => void): () => void {
  const viewport = globalThis.visualViewport;
  const ending = new AbortController();
  const update = () => {
    const zoomed = Math.abs(viewport!.scale - 1) > 0.01;
    host.style.setProperty("--free-height", zoomed ? "" : `${viewport!.height}px`);
    host.style.setProperty("--free-top", zoomed ? "" : `${viewport!.offsetTop}px`);
    draw();
  };
  viewport?.addEventListener("resize", update, ending);
  viewport?.addEventListener("scroll", update, ending);
  return () => ending.abort();
}
